// Row B14. What root is for elsewhere, tried by root of a root-mode sandbox: device nodes, mounts, files for
// ids that are not its own, file capabilities, the network's links, raw sockets. Mechanism: seven
// capabilities over its own user namespace and no more, the same filter as the user's, a network namespace
// that is not its own. Expected: EPERM, EINVAL for an id that does not exist inside, EPROTONOSUPPORT for a
// protocol that the filter knows nothing of.
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "probe.h"

enum { kUnmappedId = 70000, kMappedId = 12345 };

static const char kFile[] = "/tmp/root_mode_file";
static const char kNode[] = "/dev/shm/node";  // a tmpfs: an overlay keeps whiteouts to itself

static void probe_nodes(struct probes* probes) {
  static const struct {
    const char* name;
    mode_t type;
    unsigned major, minor;
  } kNodes[] = {
      {"mknod_null", S_IFCHR, 1, 3},
      {"mknod_mem", S_IFCHR, 1, 1},
      {"mknod_disk", S_IFBLK, 8, 0},
      // The one device that the kernel lets everybody make: overlayfs reads it as "deleted".
      {"mknod_whiteout", S_IFCHR, 0, 0},
  };
  for (size_t i = 0; i < sizeof kNodes / sizeof kNodes[0]; i++) {
    const int made = mknod(kNode, kNodes[i].type | 0666, makedev(kNodes[i].major, kNodes[i].minor));
    probe_gain(probes, kNodes[i].name, made);
    if (made == 0) unlink(kNode);
  }
}

static long mount_something(void) {
  mkdir("/tmp/mount_point", 0700);
  const int result = mount("none", "/tmp/mount_point", "tmpfs", MS_NOSUID | MS_NODEV, "size=4k");
  const int error = errno;
  if (result == 0) umount2("/tmp/mount_point", MNT_DETACH);
  errno = error;
  return result;
}

static long give_file_capability(void) {
  const struct vfs_cap_data all = {.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
                                   .data = {{.permitted = 0xff}}};
  return setxattr(kFile, "security.capability", &all, XATTR_CAPS_SZ_2, 0);
}

// Up, as it is already.
static long set_link(void) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
  const int result = ioctl(fd, SIOCSIFFLAGS, &request);
  const int error = errno;
  close(fd);
  errno = error;
  return result;
}

static long change_root(const void* unused) {
  (void)unused;
  return chroot("/tmp");
}

int main(void) {
  struct probes probes = {0};
  fact("uid", "%d", (int)getuid());
  const int fd = open(kFile, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) give_up("create %s", kFile);
  probe_nodes(&probes);
  probe_gain(&probes, "mount", mount_something());
  probe_gain(&probes, "chown_to_unmapped", chown(kFile, kUnmappedId, kUnmappedId));
  probe_gain(&probes, "file_capability", give_file_capability());
  probe_gain(&probes, "trusted_attribute", setxattr(kFile, "trusted.overlay.redirect", "x", 1, 0));
  probe_gain(&probes, "link", set_link());
  probe_gain(&probes, "raw_socket", socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP));
  probe_in_child(&probes, "chroot", change_root, NULL, REFUSED_BY(EPERM));
  twin(&probes, "chown_to_mapped", chown(kFile, kMappedId, kMappedId) == 0);
  twin(&probes, "mkfifo", mknod("/tmp/fifo", S_IFIFO | 0600, 0) == 0 || errno == EEXIST);
  return probes_exit_code(&probes);
}
