// Row A19. The "shocker" escape: names a file by handle and opens handles, which bypasses every path check
// and mount boundary. Mechanism: seccomp (and no CAP_DAC_READ_SEARCH over the file system). Expected: EPERM.
// Without the filter name_to_handle_at answers and open_by_handle_at says EBADF for a bad mount descriptor.
#include <fcntl.h>

#include "probe.h"

struct handle {
  unsigned size;
  int type;
  unsigned char bytes[128];
};

// Handles of file system roots are guessable: inode 2 on ext4, 128 on xfs. Only the opening is tried, nothing
// is read.
static void probe_guessed_handle(struct probes* probes, const char* name, unsigned inode) {
  struct handle guess = {.size = 8, .type = 1};
  memcpy(guess.bytes, &inode, sizeof inode);
  const int mount = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const long fd = syscall(SYS_open_by_handle_at, mount, &guess, O_RDONLY);
  probe_gain(probes, name, fd);
  if (fd >= 0) close((int)fd);
  close(mount);
}

int main(void) {
  struct probes probes = {0};
  const int* eperm = REFUSED_BY(EPERM);
  struct handle handle = {.size = sizeof handle.bytes};
  int mount_id = 0;
  probe_call(&probes, "name_to_handle_at",
             syscall(SYS_name_to_handle_at, AT_FDCWD, "/", &handle, &mount_id, 0), eperm);
  probe_call(&probes, "name_to_handle_at_bad_pointer",
             syscall(SYS_name_to_handle_at, AT_FDCWD, BAD_POINTER, BAD_POINTER, BAD_POINTER, 0), eperm);
  handle.size = 8;
  probe_call(&probes, "open_by_handle_at_bad_mount", syscall(SYS_open_by_handle_at, -1, &handle, O_RDONLY),
             eperm);
  probe_guessed_handle(&probes, "open_inode_2", 2);
  probe_guessed_handle(&probes, "open_inode_128", 128);
  return probes_exit_code(&probes);
}
