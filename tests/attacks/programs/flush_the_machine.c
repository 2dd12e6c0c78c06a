// Row E16. sync(2) writes out everything that anybody has written. Mechanism: seccomp answers it without
// doing it. Expected: it returns, and what another has just written is still not on the disk (the harness
// looks). fsync and syncfs, for what is one's own, go on working.
#include <fcntl.h>

#include "probe.h"

int main(void) {
  struct probes probes = {0};
  sync();
  fact("sync", "returned");
  const int own = open("/tmp/own", O_CREAT | O_RDWR, 0600);
  if (own < 0 || write(own, "own", 3) != 3) give_up("write(/tmp/own)");
  twin(&probes, "fsync", fsync(own) == 0);
  twin(&probes, "fdatasync", fdatasync(own) == 0);
  return probes.broken == 0 ? 0 : kExitFailed;
}
