// Row A17. The futex operations with a long record of kernel bugs: requeueing onto a priority-inheriting
// lock, and the second futex interface (449, 454 to 456). Mechanism: a seccomp rule on the command, whatever
// flags and high bits come with it. Expected: ENOSYS. Arguments are ones that the kernel's own code turns
// down.
#include <linux/futex.h>
#include <pthread.h>

#include "probe.h"

// Newer than some headers.
enum { kFutexWaitv = 449, kFutexWake = 454, kFutexWait = 455, kFutexRequeue = 456 };

static unsigned word;

// The same word twice, and a count that only the value 1 would satisfy.
static void probe_command(struct probes* probes, const char* name, long command) {
  probe_call(probes, name, syscall(SYS_futex, &word, command, 0, 0, &word, 0), REFUSED_BY(ENOSYS));
}

static void probe_with_flags(struct probes* probes, const char* what, long command) {
  char name[64];
  probe_command(probes, what, command);
  snprintf(name, sizeof name, "%s_private", what);
  probe_command(probes, name, command | FUTEX_PRIVATE_FLAG);
  snprintf(name, sizeof name, "%s_realtime", what);
  probe_command(probes, name, command | FUTEX_CLOCK_REALTIME);
  snprintf(name, sizeof name, "%s_high_bit", what);
  probe_command(probes, name, WITH_HIGH_BIT(command));
  snprintf(name, sizeof name, "%s_top_bit", what);
  probe_command(probes, name, WITH_TOP_BIT(command | FUTEX_PRIVATE_FLAG));
}

static bool inheriting_lock_works(void) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t lock;
  pthread_mutexattr_init(&attributes);
  return pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0 &&
         pthread_mutex_init(&lock, &attributes) == 0 && pthread_mutex_lock(&lock) == 0 &&
         pthread_mutex_unlock(&lock) == 0;
}

int main(void) {
  struct probes probes = {0};
  const int* enosys = REFUSED_BY(ENOSYS);
  const long bad_flags = 0x70000000;
  probe_with_flags(&probes, "wait_requeue_pi", FUTEX_WAIT_REQUEUE_PI);
  probe_with_flags(&probes, "cmp_requeue_pi", FUTEX_CMP_REQUEUE_PI);
  probe_call(&probes, "futex_waitv", syscall(kFutexWaitv, &word, 0, bad_flags, 0, 0), enosys);
  probe_call(&probes, "futex_wake", syscall(kFutexWake, &word, 1, 1, bad_flags), enosys);
  probe_call(&probes, "futex_wait", syscall(kFutexWait, &word, 0, 1, bad_flags, 0, 0), enosys);
  probe_call(&probes, "futex_requeue", syscall(kFutexRequeue, &word, bad_flags, 1, 1), enosys);
  twin(&probes, "wake", syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, 0, 0, 0) == 0);
  twin(&probes, "plain_requeue", syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 1, 1, &word, 0) >= 0);
  twin(&probes, "inheriting_lock", inheriting_lock_works());
  return probes_exit_code(&probes);
}
