// Row A27. Millions of refused calls as fast as they go, for so long that the ticks of /proc's clock tell who
// pays. Mechanism: the filter answers by itself; no process of the host is asked, so none burns CPU. States
// how much CPU the storm took; the harness compares that with what the spawner took meanwhile. Usage:
// errno_storm [--ask]
//   --ask   the control: the calls go to another process, as sandboxes do whose supervisor decides on calls
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "notify.h"
#include "probe.h"

enum { kCalls = 5000000, kCallsAsked = 20000 };

static long microseconds(int who) {
  struct rusage usage;
  if (getrusage(who, &usage) != 0) give_up("getrusage");
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec +
         usage.ru_stime.tv_usec;
}

// userfaultfd is refused outright; an unknown flag would be turned down by the kernel.
static void storm(long calls) {
  for (long i = 0; i < calls; i++) {
    if (syscall(SYS_userfaultfd, 0x70000000) != -1) give_up("a call of the storm was not refused");
  }
}

static int listen_for_the_call(void) {
  const struct sock_filter match = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1);
  return listen_for(match);
}

// A child answers; the descriptor reaches it by being inherited.
static void storm_that_asks(void) {
  const int listener = listen_for_the_call();
  if (listener < 0) give_up("install a filter that asks");
  const pid_t supervisor = fork();
  if (supervisor < 0) give_up("fork");
  if (supervisor == 0) {
    for (long i = 0; i < kCallsAsked; i++) {
      struct seccomp_notif notice = {0};
      if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notice) != 0) _exit(1);
      struct seccomp_notif_resp answer = {.id = notice.id, .error = -EPERM};
      if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) != 0) _exit(1);
    }
    _exit(0);
  }
  storm(kCallsAsked);
  int status = 0;
  if (waitpid(supervisor, &status, 0) != supervisor || status != 0) give_up("the supervisor failed");
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--ask") == 0) {
    storm_that_asks();
    fact("supervisor.cpu_us", "%ld", microseconds(RUSAGE_CHILDREN));
  } else {
    storm(kCalls);
  }
  fact("storm.cpu_us", "%ld", microseconds(RUSAGE_SELF));
  return 0;
}
