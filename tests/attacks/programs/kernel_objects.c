// Row E15. More of the kernel's small objects than a sandbox may have, each kind until it is refused.
// Mechanism: rlimits, which the sandbox's user namespace takes over for all of its ids together; ucounts;
// devpts' own maximum; and seccomp where the kernel has one number for the whole machine (aio). Expected:
// EAGAIN, EMFILE, ENOSPC, ENOSYS. With "hold" it keeps the signals until a line comes in, and tells how many
// there are; root takes them in the name of many ids. Usage: kernel_objects | kernel_objects hold [IDS]
#include <fcntl.h>
#include <mqueue.h>
#include <sys/inotify.h>
#include <time.h>

#include "probe.h"

enum { kSignals = 4000, kTimers = 4000, kQueues = 24, kInotify = 40, kPtys = 80 };

static int queue_signals(int wanted) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGRTMIN + 3);
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  int count = 0;
  while (count < wanted && sigqueue(getpid(), SIGRTMIN + 3, (union sigval){0}) == 0) count++;
  return count;
}

static long signals(const void* unused) {
  (void)unused;
  return queue_signals(kSignals) == kSignals ? 0 : -1;
}

static long timers(const void* unused) {
  (void)unused;
  for (int i = 0; i < kTimers; i++) {
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, NULL, &timer) != 0) return -1;
  }
  return 0;
}

static long message_queues(const void* unused) {
  (void)unused;
  for (int i = 0; i < kQueues; i++) {
    char name[32];
    snprintf(name, sizeof name, "/row-e15-%d", i);
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8192};
    const mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    if (queue == (mqd_t)-1) return -1;
    mq_unlink(name);
  }
  return 0;
}

static long inotify(const void* unused) {
  (void)unused;
  for (int i = 0; i < kInotify; i++) {
    if (inotify_init1(0) < 0) return -1;
  }
  return 0;
}

static long ptys(const void* unused) {
  (void)unused;
  for (int i = 0; i < kPtys; i++) {
    if (open("/dev/ptmx", O_RDWR | O_NOCTTY) < 0) return -1;
  }
  return 0;
}

static long aio(const void* unused) {
  (void)unused;
  unsigned long context = 0;
  return syscall(SYS_io_setup, 1, &context);
}

// Children take part with an id of their own each.
static int queue_as_many(int ids) {
  int total = queue_signals(kSignals);
  for (int i = 0; i < ids; i++) {
    int ends[2];
    if (pipe(ends) != 0) give_up("pipe");
    if (fork() == 0) {
      if (setresuid((uid_t)(2000 + i), (uid_t)(2000 + i), (uid_t)(2000 + i)) != 0) _exit(1);
      const int count = queue_signals(kSignals);
      (void)!write(ends[1], &count, sizeof count);
      pause();
    }
    int count = 0;
    close(ends[1]);
    if (read(ends[0], &count, sizeof count) != sizeof count) give_up("id %d", 2000 + i);
    total += count;
  }
  return total;
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  if (argc > 1) {
    fact("pending", "%d", queue_as_many(argc > 2 ? atoi(argv[2]) : 0));
    sleep(30);
    return 0;
  }
  const int* const bounds = REFUSED_BY(EAGAIN, EMFILE, ENOSPC, ENOSYS);
  probe_in_child(&probes, "signals", signals, NULL, bounds);
  probe_in_child(&probes, "timers", timers, NULL, bounds);
  probe_in_child(&probes, "message_queues", message_queues, NULL, bounds);
  probe_in_child(&probes, "inotify", inotify, NULL, bounds);
  probe_in_child(&probes, "ptys", ptys, NULL, bounds);
  probe_in_child(&probes, "aio", aio, NULL, bounds);
  // All of it is given back with the children.
  twin(&probes, "inotify_again", inotify_init1(0) >= 0);
  twin(&probes, "pty_again", open("/dev/ptmx", O_RDWR | O_NOCTTY) >= 0);
  timer_t timer;
  twin(&probes, "timer_again", timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0);
  return probes_exit_code(&probes);
}
