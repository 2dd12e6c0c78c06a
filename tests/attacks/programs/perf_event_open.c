// Row A08. perf_event_open: counting one's own task clock, and the same call with a bad pointer.
// Mechanism: seccomp. Expected: EPERM. Without the filter the bad pointer earns EFAULT.
#include <linux/perf_event.h>

#include "probe.h"

int main(void) {
  struct probes probes = {0};
  struct perf_event_attr attr = {
      .type = PERF_TYPE_SOFTWARE,
      .size = sizeof attr,
      .config = PERF_COUNT_SW_TASK_CLOCK,
      .disabled = 1,
      .exclude_kernel = 1,
  };
  const long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  probe_call(&probes, "own_task_clock", fd, REFUSED_BY(EPERM));
  if (fd >= 0) close((int)fd);
  probe_call(&probes, "bad_pointer", syscall(SYS_perf_event_open, BAD_POINTER, 0, -1, -1, 0),
             REFUSED_BY(EPERM));
  return probes_exit_code(&probes);
}
