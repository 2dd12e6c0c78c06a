// Row E20. Every way to be more important than others. Mechanism: RLIMIT_NICE, RLIMIT_RTPRIO, no capability,
// and a floor that real root has put under oom_score_adj. Expected: EPERM, EACCES.
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>

#include "probe.h"

struct attributes {  // struct sched_attr
  unsigned size, policy;
  unsigned long long flags;
  int nice;
  unsigned priority;
  unsigned long long runtime, deadline, period;
};

static long nicer(const void* unused) {
  (void)unused;
  return setpriority(PRIO_PROCESS, 0, -20);
}

static long real_time(const void* policy) {
  const struct sched_param highest = {.sched_priority = 99};
  return sched_setscheduler(0, *(const int*)policy, &highest);
}

static long deadline(const void* unused) {
  (void)unused;
  struct attributes attributes = {.size = sizeof attributes, .policy = 6 /* SCHED_DEADLINE */};
  attributes.runtime = 10000000;
  attributes.deadline = attributes.period = 30000000;
  return syscall(SYS_sched_setattr, 0, &attributes, 0);
}

static long io_priority(const void* unused) {
  (void)unused;
  return syscall(SYS_ioprio_set, 1, 0, 1 << 13 /* real time */);
}

int main(void) {
  struct probes probes = {0};
  const int fifo = SCHED_FIFO, round_robin = SCHED_RR;
  const int* const refusals = REFUSED_BY(EPERM, EACCES);
  probe_in_child(&probes, "nice", nicer, NULL, refusals);
  probe_in_child(&probes, "fifo", real_time, &fifo, refusals);
  probe_in_child(&probes, "round_robin", real_time, &round_robin, refusals);
  probe_in_child(&probes, "deadline", deadline, NULL, refusals);
  probe_in_child(&probes, "io_real_time", io_priority, NULL, refusals);
  const struct sched_param none = {0};
  twin(&probes, "batch", sched_setscheduler(0, SCHED_BATCH, &none) == 0);
  twin(&probes, "nice_up", setpriority(PRIO_PROCESS, 0, 5) == 0);
  return probes_exit_code(&probes);
}
