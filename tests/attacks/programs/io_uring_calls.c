// Row A06. Sets up an io_uring, through which operations run that no seccomp filter sees, and calls its two
// companions. Mechanism: seccomp. Expected: EPERM or ENOSYS. Without the filter setup gives a ring, the
// others EBADF or EINVAL.
#include <linux/io_uring.h>

#include "probe.h"

int main(void) {
  struct probes probes = {0};
  const int* refusals = REFUSED_BY(EPERM, ENOSYS);
  struct io_uring_params params = {0};
  const long ring = syscall(SYS_io_uring_setup, 1, &params);
  probe_call(&probes, "io_uring_setup", ring, refusals);
  if (ring >= 0) close((int)ring);
  probe_call(&probes, "io_uring_enter", syscall(SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0), refusals);
  probe_call(&probes, "io_uring_register", syscall(SYS_io_uring_register, -1, 0, NULL, 0), refusals);
  return probes_exit_code(&probes);
}
