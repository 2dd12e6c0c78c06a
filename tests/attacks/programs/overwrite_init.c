// Row B10. After runc's CVE-2019-5736: reaches the program of pid 1 through /proc/1/exe and opens it for
// writing. Mechanism: init runs from a sealed memfd, and /proc/1 is closed to its children. Expected: EACCES
// or ENOENT. Where a descriptor of the file can be had at all, ETXTBSY counts as worked: the file is only
// busy, and stays writable for the moment when it is not. Nothing is ever written. Usage: overwrite_init
//        overwrite_init --make-entrypoint PATH   writes a script whose interpreter is /proc/self/exe, for the
//        harness to
//                                                start: it makes whoever starts it run their own program
//                                                again
#include <fcntl.h>
#include <sys/stat.h>

#include "probe.h"

static int make_entrypoint(const char* path) {
  static const char kScript[] = "#!/proc/self/exe\n";
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  if (fd < 0 || write(fd, kScript, sizeof kScript - 1) < 0 || fchmod(fd, 0755) != 0)
    give_up("write %s", path);
  close(fd);
  return 0;
}

static void probe_reopen(struct probes* probes, const char* name, int fd) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const int writable = open(path, O_WRONLY | O_CLOEXEC);
  if (writable < 0 && errno == ETXTBSY) {
    probe_worked(probes, name, "ETXTBSY");
  } else {
    probe_gain(probes, name, writable);
  }
  if (writable >= 0) close(writable);
}

static void probe_through(struct probes* probes, const char* how, int flags) {
  char name[64];
  snprintf(name, sizeof name, "open_exe_%s", how);
  const int fd = open("/proc/1/exe", flags | O_CLOEXEC);
  probe_gain(probes, name, fd);
  if (fd < 0) return;
  snprintf(name, sizeof name, "reopen_%s_for_writing", how);
  probe_reopen(probes, name, fd);
  close(fd);
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "--make-entrypoint") == 0) return make_entrypoint(argv[2]);
  if (argc != 1) give_up("usage: overwrite_init [--make-entrypoint PATH]");
  struct probes probes = {0};
  probe_through(&probes, "for_reading", O_RDONLY);
  probe_through(&probes, "as_path", O_PATH);
  const int direct = open("/proc/1/exe", O_WRONLY | O_CLOEXEC);
  if (direct < 0 && errno == ETXTBSY) {
    probe_worked(&probes, "open_exe_for_writing", "ETXTBSY");
  } else {
    probe_gain(&probes, "open_exe_for_writing", direct);
  }
  if (direct >= 0) close(direct);
  return probes_exit_code(&probes);
}
