// Row C18. What tells of the machine around: the kernel's log, its command line, the host's name, host paths
// in every form of the mount table, the board's description, the environment of init and of this process.
// Mechanism: seccomp (syslog), masks in /proc, own uts namespace, a mount tree built on a stage that no host
// path leads to, static /sys, environments made from nothing. Expected: not_found, EPERM, ENOENT, EACCES.
// Usage: info_leaks HEAD TAIL HOSTNAME PATH…   the canary in two halves, so that the command line is no find
#include <fcntl.h>
#include <sys/utsname.h>

#include "probe.h"

extern char** environ;

enum { kMost = 1 << 20 };

static char* read_text(const char* path) {
  static char text[kMost];
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return NULL;
  size_t size = 0;
  ssize_t more = 0;
  while (size + 1 < sizeof text && (more = read(fd, text + size, sizeof text - 1 - size)) > 0)
    size += (size_t)more;
  close(fd);
  // Environments are strings with NULs between them.
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '\0') text[i] = '\n';
  }
  text[size] = '\0';
  return text;
}

static void judge(struct probes* probes, const char* name, bool found, const char* detail) {
  if (found) {
    probe_worked(probes, name, detail);
  } else {
    probe_refused(probes, name, "not_found");
  }
}

// Anything at all in the file is a find.
static void expect_nothing(struct probes* probes, const char* path) {
  const char* text = read_text(path);
  if (text == NULL) {
    probe_refused(probes, path, errno_name(errno));
  } else {
    judge(probes, path, text[0] != '\0', "readable");
  }
}

static void search(struct probes* probes, const char* path, const char* word) {
  const char* text = read_text(path);
  if (text == NULL) {
    probe_refused(probes, path, errno_name(errno));
  } else {
    judge(probes, path, strstr(text, word) != NULL, word);
  }
}

static void read_kernel_log(struct probes* probes) {
  char text[64];
  probe_call(probes, "syslog_size", syscall(SYS_syslog, 10, NULL, 0), REFUSED_BY(EPERM));
  probe_call(probes, "syslog_read_all", syscall(SYS_syslog, 3, text, sizeof text), REFUSED_BY(EPERM));
}

static void look_at_names(struct probes* probes, const char* hostname) {
  struct utsname names;
  if (uname(&names) != 0) give_up("uname");
  judge(probes, "nodename", strcmp(names.nodename, hostname) == 0, names.nodename);
  judge(probes, "domainname", strcmp(names.domainname, hostname) == 0, names.domainname);
  search(probes, "/etc/hostname", hostname);
  search(probes, "/etc/hosts", hostname);
  search(probes, "/proc/sys/kernel/hostname", hostname);
}

static void look_at_mounts(struct probes* probes, const char* path) {
  static const char* const kTables[] = {"/proc/self/mounts", "/proc/self/mountinfo", "/proc/self/mountstats",
                                        "/proc/1/mountinfo"};
  for (size_t i = 0; i < sizeof kTables / sizeof kTables[0]; i++) search(probes, kTables[i], path);
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  char canary[256];
  if (argc < 4) give_up("usage: info_leaks HEAD TAIL HOSTNAME PATH...");
  snprintf(canary, sizeof canary, "%s%s", argv[1], argv[2]);
  read_kernel_log(&probes);
  static const char* const kSecret[] = {"/dev/kmsg",
                                        "/proc/kmsg",
                                        "/proc/cmdline",
                                        "/proc/1/environ",
                                        "/proc/1/cmdline",
                                        "/sys/class/dmi/id/product_name",
                                        "/sys/devices/virtual/dmi/id/board_vendor",
                                        "/sys/firmware/dmi/tables/DMI",
                                        "/sys/kernel/vmcoreinfo",
                                        "/proc/device-tree/model"};
  for (size_t i = 0; i < sizeof kSecret / sizeof kSecret[0]; i++) expect_nothing(&probes, kSecret[i]);
  look_at_names(&probes, argv[3]);
  for (int i = 4; i < argc; i++) look_at_mounts(&probes, argv[i]);
  search(&probes, "/proc/self/environ", canary);
  search(&probes, "/proc/self/auxv", canary);
  for (char** one = environ; *one != NULL; one++) fact("environment", "%.*s", (int)strcspn(*one, "="), *one);
  return probes_exit_code(&probes);
}
