// Rows C10 and C11. The payload of the hostile templates: started in a sandbox whose image replaced /dev,
// /proc, /sys and others by links, files and pipes, it looks whether the sandbox's own ones are there after
// all. Mechanism: mount points are made in our own layer and opened without following links; nodes are
// checked by number. Expected: everything is ours. (The other lawful outcome is that the sandbox is refused:
// then this never runs.)
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "probe.h"

struct node {
  const char* path;
  unsigned major;
  unsigned minor;
};

static const struct node kNodes[] = {
    {"/dev/null", 1, 3},   {"/dev/zero", 1, 5},    {"/dev/full", 1, 7},
    {"/dev/random", 1, 8}, {"/dev/urandom", 1, 9}, {"/dev/tty", 5, 0},
};

static void judge(struct probes* probes, const char* name, bool ours) {
  if (ours) {
    probe_refused(probes, name, "ours");
  } else {
    probe_worked(probes, name, "from_the_image");
  }
}

static bool is_directory(const char* path) {
  struct stat status;
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_on(const char* path, long magic) {
  struct statfs status;
  return is_directory(path) && statfs(path, &status) == 0 && status.f_type == magic;
}

static bool is_node(const struct node* node) {
  struct stat status;
  return lstat(node->path, &status) == 0 && S_ISCHR(status.st_mode) &&
         status.st_rdev == makedev(node->major, node->minor);
}

// A real /tmp: a file made there is there.
static bool is_writable_directory(const char* path) {
  const int fd = open(path, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return is_directory(path) && fd >= 0;
}

int main(void) {
  struct probes probes = {0};
  judge(&probes, "dev", is_on("/dev", TMPFS_MAGIC));
  judge(&probes, "dev_pts", is_on("/dev/pts", DEVPTS_SUPER_MAGIC));
  judge(&probes, "dev_shm", is_on("/dev/shm", TMPFS_MAGIC));
  for (size_t i = 0; i < sizeof kNodes / sizeof kNodes[0]; i++) {
    judge(&probes, kNodes[i].path + 1, is_node(&kNodes[i]));
  }
  judge(&probes, "proc", is_on("/proc", PROC_SUPER_MAGIC));
  judge(&probes, "sys", is_on("/sys", TMPFS_MAGIC));
  judge(&probes, "tmp", is_writable_directory("/tmp"));
  return probes_exit_code(&probes);
}
