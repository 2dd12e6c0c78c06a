// Row B01. States the five capability sets and the secure bits of a process that init started.
// Mechanism: init drops everything before exec. Expected: all zero in user mode; in root mode within the
// seven granted.
#include <sys/prctl.h>

#include "status_file.h"

static const char* const kFields[] = {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", NULL};

int main(void) {
  state_status_fields("/proc/self/status", "self", kFields);
  fact("self.SecureBits", "%x", (unsigned)prctl(PR_GET_SECUREBITS, 0, 0, 0, 0));
  return 0;
}
