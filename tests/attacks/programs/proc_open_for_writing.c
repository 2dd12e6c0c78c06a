// Row C04. Opens for writing, and writes nothing to, every file of /proc that is not a process's own:
// sysctls, sysrq-trigger, irq, bus and the rest, and the files of pid 1. Mechanism: /proc/sys and others
// mounted read-only or masked; no capability. Expected: EROFS or EACCES for every one (the harness also
// compares the host's sysctls before and after).
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "probe.h"

struct tally {
  struct probes probes;
  long files;
};

static bool is_a_process(const char* name) {
  return (name[0] >= '0' && name[0] <= '9') || strcmp(name, "self") == 0 || strcmp(name, "thread-self") == 0;
}

static void try_file(struct tally* tally, int directory, const char* name, const char* where) {
  const int fd = openat(directory, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  tally->files++;
  if (fd < 0) return;
  // A mask made of /dev/null is writable and harmless.
  struct stat status;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) probe_worked(&tally->probes, "write", where);
  close(fd);
}

// Takes ownership of the descriptor.
static void try_tree(struct tally* tally, int directory, const char* path) {
  DIR* stream = fdopendir(directory);
  if (stream == NULL) {
    close(directory);
    return;
  }
  const bool top = strcmp(path, "/proc") == 0;
  for (struct dirent* entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
    const char* name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || (top && is_a_process(name))) continue;
    char where[1024];
    snprintf(where, sizeof where, "%s/%s", path, name);
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(status.st_mode)) {
      const int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (fd >= 0) try_tree(tally, fd, where);
    } else if (S_ISREG(status.st_mode)) {
      try_file(tally, directory, name, where);
    }
  }
  closedir(stream);
}

// By name as well: a file may be openable in a directory that cannot be listed.
static void try_well_known(struct tally* tally) {
  static const char* const kFiles[] = {
      "/proc/sys/kernel/core_pattern",
      "/proc/sys/kernel/modprobe",
      "/proc/sys/kernel/hostname",
      "/proc/sys/vm/drop_caches",
      "/proc/sys/fs/binfmt_misc/register",
      "/proc/sys/user/max_user_namespaces",
      "/proc/sysrq-trigger",
      "/proc/irq/default_smp_affinity",
      "/proc/1/oom_score_adj",
      "/proc/sys/net/ipv4/ip_forward",
      "/proc/1/uid_map",
      "/proc/1/mem",
  };
  for (size_t i = 0; i < sizeof kFiles / sizeof kFiles[0]; i++) {
    const int fd = open(kFiles[i], O_WRONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0) {
      probe_refused(&tally->probes, kFiles[i], errno_name(errno));
    } else if (fstat(fd, &status) == 0 && S_ISCHR(status.st_mode)) {
      probe_refused(&tally->probes, kFiles[i], "masked");
    } else {
      probe_worked(&tally->probes, kFiles[i], "opened");
    }
    if (fd >= 0) close(fd);
  }
}

int main(void) {
  struct tally tally = {0};
  const int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) give_up("open /proc");
  try_tree(&tally, fd, "/proc");
  try_well_known(&tally);
  fact("files.tried", "%ld", tally.files);
  return probes_exit_code(&tally.probes);
}
