// Row B08. Looks for descriptors beyond 0, 1 and 2, and for a way out of the sandbox through any that is a
// directory. Mechanism: close_range before exec. Expected: none. Usage: inherited_descriptors
// [CANARY_FILE_NAME] The canary is a file that the harness put beside the leaked directory, or above it;
// finding it proves the escape.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "probe.h"

// By number, not by listing /proc/self/fd: nothing a mask could hide, and no descriptor of our own among
// them.
static int highest_possible(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) give_up("getrlimit");
  // A descriptor opened before the limit was lowered may lie above it.
  return limit.rlim_max > 65536 ? (int)(limit.rlim_max < 1048576 ? limit.rlim_max : 1048576) : 65536;
}

static void describe(int fd, char* text, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, text, size - 1);
  text[length < 0 ? 0 : length] = '\0';
}

// Walks upwards from a directory: the kernel stops .. at the sandbox's root only for paths that lie beneath
// it.
static void probe_directory(struct probes* probes, int fd, const char* canary) {
  char path[512] = "";
  for (int depth = 0; depth < 64; depth++) {
    char candidate[640];
    snprintf(candidate, sizeof candidate, "%s%s", path, canary);
    if (faccessat(fd, candidate, F_OK, 0) == 0) {
      probe_worked(probes, "canary_through_directory", candidate);
      return;
    }
    strcat(path, "../");
  }
  probe_refused(probes, "canary_through_directory", "ENOENT");
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  int found = 0;
  const int last = highest_possible();
  for (int fd = 0; fd < last; fd++) {
    if (fcntl(fd, F_GETFD) < 0) continue;
    char target[256];
    describe(fd, target, sizeof target);
    struct stat status;
    const bool directory = fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
    if (fd <= 2 && !directory) continue;
    char name[32];
    snprintf(name, sizeof name, "descriptor_%d", fd);
    probe_worked(&probes, name, target);
    if (directory && argc > 1) probe_directory(&probes, fd, argv[1]);
    found++;
  }
  if (found == 0) probe_refused(&probes, "extra_descriptors", "none");
  return probes_exit_code(&probes);
}
