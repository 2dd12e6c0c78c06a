// Row A23. fanotify, which sees whole mounts, and a flood of inotify instances, which are charged to the host
// user who made the namespaces: without a bound of its own one sandbox takes everybody's. Mechanism: seccomp;
// user.max_inotify_instances of 32 and user.max_fanotify_groups of 0. Expected: EPERM; EMFILE.
#include <fcntl.h>
#include <sys/inotify.h>

#include "probe.h"

// Newer than some headers. With this flag an unprivileged user may ask.
enum { kReportFid = 0x200 };
enum { kInstances = 32 };

// Stops one beyond the bound: taking more would starve the host where there is none.
static void probe_flood(struct probes* probes) {
  int held = 0;
  while (held <= kInstances && inotify_init1(IN_CLOEXEC) >= 0) held++;
  const int error = errno;
  if (held > kInstances) {
    probe_worked(probes, "inotify_flood", "beyond_32");
  } else {
    probe_refused(probes, "inotify_flood", errno_name(error));
  }
}

static bool watching_works(void) {
  const int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  const bool works = fd >= 0 && inotify_add_watch(fd, "/tmp", IN_CREATE) >= 0;
  if (fd >= 0) close(fd);
  return works;
}

int main(void) {
  struct probes probes = {0};
  const int* eperm = REFUSED_BY(EPERM);
  twin(&probes, "inotify", watching_works());
  probe_call(&probes, "fanotify_init", syscall(SYS_fanotify_init, kReportFid, O_RDONLY), eperm);
  probe_call(&probes, "fanotify_init_unknown_flags", syscall(SYS_fanotify_init, 0x70000000 | kReportFid, 0),
             eperm);
  probe_call(&probes, "fanotify_mark", syscall(SYS_fanotify_mark, -1, 0x70000000, 0, -1, 0), eperm);
  probe_flood(&probes);
  return probes_exit_code(&probes);
}
