// Row A07. bpf with every command number, asked with an attribute larger than the kernel takes: E2BIG says
// that the call was reached, and nothing is loaded. Mechanism: seccomp. Expected: EPERM.
#include "probe.h"

enum { kCommands = 48, kTooLarge = 1 << 20 };

int main(void) {
  struct probes probes = {0};
  for (long command = 0; command < kCommands; command++) {
    char name[32];
    snprintf(name, sizeof name, "bpf_%ld", command);
    probe_call(&probes, name, syscall(SYS_bpf, command, BAD_POINTER, kTooLarge), REFUSED_BY(EPERM));
  }
  probe_call(&probes, "bpf_high_bit", syscall(SYS_bpf, WITH_HIGH_BIT(0), BAD_POINTER, kTooLarge),
             REFUSED_BY(EPERM));
  return probes_exit_code(&probes);
}
