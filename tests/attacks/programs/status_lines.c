// Row A24. States whether the seccomp filter and no-new-privileges are on, in the main thread, in a second
// thread and in a child; the harness runs it on every path by which a process can start in a sandbox and
// compares. Mechanism: both are set before the first program and inherited. Expected: Seccomp 2, NoNewPrivs
// 1, filters equal everywhere.
#include <pthread.h>

#include "status_file.h"

static const char* const kFields[] = {"NoNewPrivs", "Seccomp", "Seccomp_filters", NULL};

static void* in_thread(void* unused) {
  (void)unused;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%ld/status", syscall(SYS_gettid));
  state_status_fields(path, "thread", kFields);
  return NULL;
}

static long in_forked(const void* unused) {
  (void)unused;
  state_status_fields("/proc/self/status", "child", kFields);
  return 0;
}

int main(void) {
  state_status_fields("/proc/self/status", "main", kFields);
  pthread_t thread;
  if (pthread_create(&thread, NULL, in_thread, NULL) != 0) give_up("pthread_create");
  pthread_join(thread, NULL);
  if (!in_child(in_forked, NULL).returned) give_up("the child");
  return 0;
}
