// Row A10. Stores, looks up and controls keys in the kernel's keyrings, which are counted and found per user
// id and not per container. Mechanism: seccomp. Expected: EPERM. Without the filter a key of five bytes lands
// in the process keyring, which ends with this process.
#include <linux/keyctl.h>

#include "probe.h"

int main(void) {
  struct probes probes = {0};
  const int* eperm = REFUSED_BY(EPERM);
  const long key = syscall(SYS_add_key, "user", "cove-probe", "probe", 5, KEY_SPEC_PROCESS_KEYRING);
  probe_call(&probes, "add_key", key, eperm);
  // No callout text, so that the kernel starts no helper for a key it does not find.
  probe_call(&probes, "request_key", syscall(SYS_request_key, "user", "cove-no-such-key", NULL, 0), eperm);
  probe_call(&probes, "keyctl_session_id",
             syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0), eperm);
  probe_call(&probes, "keyctl_user_keyring_id",
             syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 0), eperm);
  probe_call(&probes, "keyctl_unknown_command", syscall(SYS_keyctl, -1, 0, 0, 0, 0), eperm);
  return probes_exit_code(&probes);
}
