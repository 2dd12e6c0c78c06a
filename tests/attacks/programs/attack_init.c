// Row B07. Attacks pid 1: signals, tracing, and everything of it that /proc shows. Mechanism: init runs as
// another id, is not dumpable, and is hidden in /proc; seccomp takes the calls. Expected: EPERM, EACCES or
// ENOENT throughout. The kernel drops a SIGKILL sent to pid 1 from inside its own namespace, so even one that
// is let through harms nobody.
#include <dirent.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "probe.h"

static const char* const kFiles[] = {"auxv",    "environ", "exe",   "maps",    "mem",    "mountinfo",
                                     "pagemap", "smaps",   "stack", "syscall", "timers", "io"};
static const char* const kLinks[] = {"cwd", "exe", "root", "fd/0", "ns/mnt", "ns/user"};
static const char* const kDirectories[] = {"fd", "fdinfo", "map_files", "root/", "cwd/"};

// Opening is not enough to gain anything: some of these files check the reader at the first byte.
static long read_a_byte(const char* path, int flags) {
  const int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  char byte;
  const ssize_t size = flags == O_RDONLY ? read(fd, &byte, 1) : 0;
  const int error = errno;
  close(fd);
  errno = error;
  if (size == 0 && flags == O_RDONLY) errno = ENODATA;
  return size > 0 || flags != O_RDONLY ? 0 : -1;
}

static void probe_files(struct probes* probes) {
  char path[64];
  char name[64];
  for (size_t i = 0; i < sizeof kFiles / sizeof kFiles[0]; i++) {
    snprintf(path, sizeof path, "/proc/1/%s", kFiles[i]);
    snprintf(name, sizeof name, "read_%s", kFiles[i]);
    probe_gain(probes, name, read_a_byte(path, O_RDONLY));
  }
  probe_gain(probes, "open_mem_for_writing", read_a_byte("/proc/1/mem", O_RDWR));
  probe_gain(probes, "open_oom_score_adj_for_writing", read_a_byte("/proc/1/oom_score_adj", O_WRONLY));
}

static void probe_links(struct probes* probes) {
  char path[64];
  char name[64];
  char target[256];
  for (size_t i = 0; i < sizeof kLinks / sizeof kLinks[0]; i++) {
    snprintf(path, sizeof path, "/proc/1/%s", kLinks[i]);
    snprintf(name, sizeof name, "readlink_%s", kLinks[i]);
    probe_gain(probes, name, readlink(path, target, sizeof target));
  }
  for (size_t i = 0; i < sizeof kDirectories / sizeof kDirectories[0]; i++) {
    snprintf(path, sizeof path, "/proc/1/%s", kDirectories[i]);
    snprintf(name, sizeof name, "list_%.*s", (int)strcspn(kDirectories[i], "/"), kDirectories[i]);
    DIR* directory = opendir(path);
    probe_gain(probes, name, directory == NULL ? -1 : 0);
    if (directory != NULL) closedir(directory);
  }
}

static void probe_calls(struct probes* probes) {
  probe_gain(probes, "signal_0", kill(1, 0));
  probe_gain(probes, "sigkill", kill(1, SIGKILL));
  const long seized = syscall(SYS_ptrace, PTRACE_SEIZE, 1, 0, 0);
  probe_gain(probes, "ptrace_seize", seized);
  if (seized == 0) syscall(SYS_ptrace, PTRACE_DETACH, 1, 0, 0);
  char byte;
  struct iovec here = {&byte, 1};
  struct iovec there = {&byte, 1};
  // An address of ours means nothing there: EFAULT says that access was granted.
  const long copied = syscall(SYS_process_vm_readv, 1, &here, 1, &there, 1, 0);
  probe_call(probes, "process_vm_readv", copied, REFUSED_BY(EPERM, ESRCH));
  const int pidfd = (int)syscall(SYS_pidfd_open, 1, 0);
  const long taken = pidfd < 0 ? -1 : syscall(SYS_pidfd_getfd, pidfd, 0, 0);
  probe_gain(probes, "pidfd_getfd", taken);
  if (taken >= 0) close((int)taken);
  if (pidfd >= 0) close(pidfd);
}

// Whoever has init's id may look into what init starts, for as long as that has the same id. Only root can
// ask.
static long take_the_id(const void* unused) {
  (void)unused;
  const long init = 65533;
  return syscall(SYS_setresuid, init, init, init);
}

int main(void) {
  struct probes probes = {0};
  probe_in_child(&probes, "take_the_id", take_the_id, NULL, REFUSED_BY(EPERM));
  probe_calls(&probes);
  probe_files(&probes);
  probe_links(&probes);
  return probes_exit_code(&probes);
}
