// Row A09. userfaultfd in each of its forms: plain, for user-mode faults only (which hosts grant to anyone),
// and through the device. Mechanism: seccomp for the call, our own /dev for the device. Expected: EPERM;
// ENOENT for the device.
#include <fcntl.h>

#include "probe.h"

enum { kUserModeOnly = 1 };

static void probe_form(struct probes* probes, const char* name, long flags) {
  const long fd = syscall(SYS_userfaultfd, flags);
  probe_call(probes, name, fd, REFUSED_BY(EPERM));
  if (fd >= 0) close((int)fd);
}

int main(void) {
  struct probes probes = {0};
  probe_form(&probes, "plain", O_CLOEXEC);
  probe_form(&probes, "user_mode_only", O_CLOEXEC | kUserModeOnly);
  probe_form(&probes, "user_mode_only_high_bit", WITH_HIGH_BIT(O_CLOEXEC | kUserModeOnly));
  const int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
  probe_call(&probes, "device", device, REFUSED_BY(ENOENT));
  if (device >= 0) close(device);
  return probes_exit_code(&probes);
}
