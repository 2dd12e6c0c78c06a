// Row C08. Device nodes: made with mknod in every directory that can be written to, and those that an image
// brought along (PLANTED, by itself and through a hard link). Mechanism: seccomp rule on the file type; no
// CAP_MKNOD over the kernel's own user namespace; nodev on every mount but those of the six nodes. Expected:
// EPERM for a node that is made, EACCES for one that is opened. Without seccomp the kernel still allows a
// character device 0:0, which is what overlayfs takes for a deletion. Usage: device_nodes [PLANTED…]
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "probe.h"

struct node {
  const char* name;
  mode_t type;
  unsigned major;
  unsigned minor;
};

static const struct node kNodes[] = {
    {"null", S_IFCHR, 1, 3},     {"mem", S_IFCHR, 1, 1},    {"kmsg", S_IFCHR, 1, 11},
    {"whiteout", S_IFCHR, 0, 0}, {"disk", S_IFBLK, 253, 0}, {"loop", S_IFBLK, 7, 0},
};
static const char* const kPlaces[] = {"/tmp", "/dev/shm", "/dev"};

static long make_and_remove(const char* path, const struct node* node) {
  const int result = mknodat(AT_FDCWD, path, node->type | 0600, makedev(node->major, node->minor));
  const int error = errno;
  if (result == 0) unlink(path);
  errno = error;
  return result;
}

static void try_to_make(struct probes* probes) {
  char name[64];
  char path[128];
  for (size_t place = 0; place < sizeof kPlaces / sizeof kPlaces[0]; place++) {
    for (size_t i = 0; i < sizeof kNodes / sizeof kNodes[0]; i++) {
      snprintf(name, sizeof name, "%s%s", kNodes[i].name, kPlaces[place]);
      snprintf(path, sizeof path, "%s/device_nodes_%s", kPlaces[place], kNodes[i].name);
      probe_gain(probes, name, make_and_remove(path, &kNodes[i]));
    }
  }
}

static void try_to_open(struct probes* probes, const char* name, const char* path) {
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  probe_gain(probes, name, fd);
  if (fd >= 0) close(fd);
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  try_to_make(&probes);
  for (int i = 1; i < argc; i++) {
    try_to_open(&probes, "planted", argv[i]);
    const char* linked = "/tmp/device_nodes_linked";
    if (link(argv[i], linked) != 0) {
      probe_refused(&probes, "linked", errno_name(errno));
    } else {
      try_to_open(&probes, "linked", linked);
      unlink(linked);
    }
  }
  // Pipes and sockets are made by the same call.
  const char* pipe = "/tmp/device_nodes_pipe";
  twin(&probes, "mkfifo", mkfifo(pipe, 0600) == 0 && unlink(pipe) == 0);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  twin(&probes, "dev_null", null >= 0 && write(null, "x", 1) == 1);
  return probes_exit_code(&probes);
}
