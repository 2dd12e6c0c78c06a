// Row C12. A control-group file system anywhere in sight, or mounted by the program itself: release_agent
// would run a program of the host, devices.allow would open devices, cgroup.procs would leave the limits
// behind. Mechanism: no such file system is mounted (/sys is a tmpfs of ours, with plain files that tell the
// limits); mount is refused by seccomp and for want of CAP_SYS_ADMIN. Expected: not_found, EPERM.
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "mount_somewhere.h"
#include "probe.h"

enum { kMaxDepth = 12 };

static const char* const kWanted[] = {"release_agent", "devices.allow", "devices.deny",
                                      "cgroup.procs",  "tasks",         "cgroup.subtree_control",
                                      "cgroup.kill"};

static bool is_wanted(const char* name) {
  for (size_t i = 0; i < sizeof kWanted / sizeof kWanted[0]; i++) {
    if (strcmp(name, kWanted[i]) == 0) return true;
  }
  return false;
}

static bool is_cgroup_file(int fd) {
  struct statfs status;
  return fstatfs(fd, &status) == 0 &&
         (status.f_type == CGROUP_SUPER_MAGIC || status.f_type == CGROUP2_SUPER_MAGIC);
}

// Takes the descriptor. /proc names a process's own groups but is no such file system.
static void search(struct probes* probes, int directory, int depth) {
  DIR* stream = fdopendir(directory);
  if (stream == NULL) {
    close(directory);
    return;
  }
  for (struct dirent* entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
    const char* name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, "proc") == 0) continue;
    const int flags = O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC;
    if (is_wanted(name)) {
      const int file = openat(directory, name, O_PATH | flags);
      if (file >= 0 && is_cgroup_file(file)) probe_worked(probes, "file", name);
      if (file >= 0) close(file);
    }
    if (entry->d_type != DT_DIR || depth >= kMaxDepth) continue;
    const int child = openat(directory, name, O_RDONLY | O_DIRECTORY | flags);
    if (child >= 0) search(probes, child, depth + 1);
  }
  closedir(stream);
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  const char* start = argc > 1 ? argv[1] : "/";
  const int top = open(start, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (top < 0) give_up("open %s", start);
  search(&probes, top, 0);
  if (probes.worked == 0) probe_refused(&probes, "file", "not_found");
  const unsigned long sealed = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  const struct mounting v1 = {"none", "cgroup", sealed, "none,name=control_groups"};
  const struct mounting v2 = {"none", "cgroup2", sealed, NULL};
  probe_in_child(&probes, "mount_v1", mount_somewhere, &v1, REFUSED_BY(EPERM));
  probe_in_child(&probes, "mount_v2", mount_somewhere, &v2, REFUSED_BY(EPERM));
  return probes_exit_code(&probes);
}
