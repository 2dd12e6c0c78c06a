// Row A03. Calls by x32 numbers (bit 30 set), which reach the same kernel code past a filter that knows only
// the plain ones. Mechanism: the ABI gate's ENOSYS. Expected: ENOSYS, before anything else sees the number.
//
// Many kernels are built without x32 and say ENOSYS themselves, so the answer alone proves nothing there.
// `<call>_passes_the_filters` asks who answered: a filter of our own, installed last, hands x32 numbers to a
// thread that answers with a mark. An outer filter's errno outranks that; a mark means that none said no.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#include "notify.h"
#include "probe.h"

enum { kX32 = 0x40000000, kMark = 4242 };

struct number {
  const char* name;
  long value;
};

// 512 and up are the calls that x32 has of its own.
static const struct number kNumbers[] = {
    {"getpid", kX32 | SYS_getpid},
    {"getpid_high_bit", WITH_HIGH_BIT(kX32 | SYS_getpid)},
    {"getpid_top_bit", WITH_TOP_BIT(kX32 | SYS_getpid)},
    {"unshare", kX32 | SYS_unshare},
    {"ptrace", kX32 | SYS_ptrace},
    {"own_ptrace", kX32 | 521},
    {"own_execveat", kX32 | 545},
    {"unknown", kX32 | 1023},
};

static long call_it(const void* argument) {
  const struct number* number = argument;
  return syscall(number->value, 0, 0, 0, 0, 0, 0);
}

static void* answer_with_mark(void* argument) {
  const int listener = *(int*)argument;
  struct seccomp_notif notice = {0};
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notice) != 0) return NULL;
  struct seccomp_notif_resp answer = {.id = notice.id, .val = kMark};
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  return NULL;
}

// Filters belong to a thread: the one that answers must start before there is one.
struct handover {
  pthread_mutex_t lock;
  int listener;
};

static void* wait_and_answer(void* argument) {
  struct handover* handover = argument;
  pthread_mutex_lock(&handover->lock);
  pthread_mutex_unlock(&handover->lock);
  return answer_with_mark(&handover->listener);
}

static int listen_for_x32(void) {
  const struct sock_filter match = BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kX32, 0, 1);
  return listen_for(match);
}

// 0 when the number came as far as our own filter; -1 with the errno of whoever said no before.
static long who_answers(const void* argument) {
  struct handover handover = {.lock = PTHREAD_MUTEX_INITIALIZER, .listener = -1};
  pthread_mutex_lock(&handover.lock);
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_and_answer, &handover) != 0) return 1;
  handover.listener = listen_for_x32();
  if (handover.listener < 0) return 1;
  pthread_mutex_unlock(&handover.lock);
  const long result = call_it(argument);
  return result == kMark ? 0 : result;
}

int main(void) {
  struct probes probes = {0};
  for (size_t i = 0; i < sizeof kNumbers / sizeof kNumbers[0]; i++) {
    char name[64];
    probe_in_child(&probes, kNumbers[i].name, call_it, &kNumbers[i], REFUSED_BY(ENOSYS));
    snprintf(name, sizeof name, "%s_passes_the_filters", kNumbers[i].name);
    probe_in_child(&probes, name, who_answers, &kNumbers[i], REFUSED_BY(ENOSYS));
  }
  twin(&probes, "plain_getpid", syscall(SYS_getpid) == getpid());
  return probes_exit_code(&probes);
}
