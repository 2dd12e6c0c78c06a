// Row A05. Every call that changes the mount tree or the root: mount, umount2, the descriptor-based mount
// API, pivot_root, chroot. Mechanism: seccomp (and no CAP_SYS_ADMIN, and mounts locked by the parent user
// namespace). Expected: EPERM. With seccomp and the capability limit removed the bad arguments earn EFAULT,
// EINVAL or EBADF, and one real mount, of an empty tmpfs on a directory of our own, succeeds and is taken
// away again.
#include <sys/mount.h>

#include "probe.h"

// Newer than some headers.
enum { kOpenTreeAttr = 467 };

static long real_mount(const void* unused) {
  (void)unused;
  char directory[] = "/tmp/mount_calls_XXXXXX";
  if (mkdtemp(directory) == NULL) return -1;
  const int result = mount("none", directory, "tmpfs", MS_NOSUID | MS_NODEV, "size=4k");
  const int error = errno;
  if (result == 0) umount2(directory, MNT_DETACH);
  rmdir(directory);
  errno = error;
  return result;
}

int main(void) {
  struct probes probes = {0};
  const int* eperm = REFUSED_BY(EPERM);
  const long bad_flags = 0x70000000;
  probe_call(&probes, "mount", syscall(SYS_mount, BAD_POINTER, BAD_POINTER, BAD_POINTER, 0, BAD_POINTER),
             eperm);
  probe_call(&probes, "umount2", syscall(SYS_umount2, BAD_POINTER, bad_flags), eperm);
  probe_call(&probes, "pivot_root", syscall(SYS_pivot_root, BAD_POINTER, BAD_POINTER), eperm);
  probe_call(&probes, "chroot", syscall(SYS_chroot, BAD_POINTER), eperm);
  probe_call(&probes, "fsopen", syscall(SYS_fsopen, BAD_POINTER, 0), eperm);
  probe_call(&probes, "fsconfig", syscall(SYS_fsconfig, -1, 0, NULL, NULL, 0), eperm);
  probe_call(&probes, "fsmount", syscall(SYS_fsmount, -1, 0, 0), eperm);
  probe_call(&probes, "fspick", syscall(SYS_fspick, -1, BAD_POINTER, bad_flags), eperm);
  probe_call(&probes, "open_tree", syscall(SYS_open_tree, -1, BAD_POINTER, bad_flags), eperm);
  probe_call(&probes, "move_mount", syscall(SYS_move_mount, -1, BAD_POINTER, -1, BAD_POINTER, bad_flags),
             eperm);
  probe_call(&probes, "mount_setattr", syscall(SYS_mount_setattr, -1, BAD_POINTER, bad_flags, BAD_POINTER, 0),
             eperm);
  probe_call(&probes, "open_tree_attr", syscall(kOpenTreeAttr, -1, BAD_POINTER, bad_flags, BAD_POINTER, 0),
             REFUSED_BY(EPERM, ENOSYS));
  probe_in_child(&probes, "mount_a_tmpfs", real_mount, NULL, eperm);
  return probes_exit_code(&probes);
}
