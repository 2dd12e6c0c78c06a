// Row B05. States the inode of every namespace the process is in; the harness compares with the host's and a
// sibling's. Mechanism: a new namespace of each kind per sandbox. Expected: all differ (time may be shared:
// it has no offset).
#include <fcntl.h>
#include <sys/stat.h>

#include "probe.h"

static const char* const kKinds[] = {"cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"};

int main(void) {
  for (size_t i = 0; i < sizeof kKinds / sizeof kKinds[0]; i++) {
    char path[64];
    char key[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/self/ns/%s", kKinds[i]);
    snprintf(key, sizeof key, "ns.%s", kKinds[i]);
    if (stat(path, &status) == 0) {
      fact(key, "%lu", (unsigned long)status.st_ino);
    } else {
      fact(key, "%s", errno_name(errno));
    }
  }
  return 0;
}
