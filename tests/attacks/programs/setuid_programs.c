// Row B03. Tries to gain an identity from files: a program owned by root with the setuid bit that the harness
// planted (named as arguments), a setuid and setgid copy of itself, and file capabilities on that copy.
// Mechanism: no-new-privileges, and nosuid on every mount. Expected: the program runs with unchanged ids and
// no capability; setting file capabilities is EPERM. Usage: setuid_programs PLANTED_COPY…
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "probe.h"

enum { kGained = 42, kNothingGained = 43 };

// What the planted copy does when started with --report: compares real and effective ids, looks for a
// capability.
static int report(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[2] = {0};
  syscall(SYS_capget, &header, sets);
  const bool ids = geteuid() != getuid() || getegid() != getgid();
  const bool capabilities = (sets[0].effective | sets[1].effective) != 0;
  return ids || capabilities ? kGained : kNothingGained;
}

static long start_report(const void* path) {
  execl(path, path, "--report", (char*)NULL);
  return -1;
}

static void probe_program(struct probes* probes, const char* name, const char* path) {
  const struct child_result result = in_child(start_report, path);
  if (result.returned) {
    probe_refused(probes, name, errno_name(result.error));
  } else if (WIFEXITED(result.status) && WEXITSTATUS(result.status) == kGained) {
    probe_worked(probes, name, "identity_gained");
  } else if (WIFEXITED(result.status) && WEXITSTATUS(result.status) == kNothingGained) {
    probe_refused(probes, name, "unchanged");
  } else {
    give_up("%s neither ran nor was refused: wait status %d", path, result.status);
  }
}

static void copy_self(const char* path) {
  const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  struct stat status;
  if (from < 0 || to < 0 || fstat(from, &status) != 0) give_up("copy to %s", path);
  for (off_t done = 0; done < status.st_size;) {
    const ssize_t sent = sendfile(to, from, &done, (size_t)(status.st_size - done));
    if (sent <= 0) give_up("sendfile");
  }
  close(from);
  close(to);
}

static void probe_own_copy(struct probes* probes) {
  char directory[] = "/tmp/setuid_programs_XXXXXX";
  if (mkdtemp(directory) == NULL) give_up("mkdtemp");
  char path[64];
  snprintf(path, sizeof path, "%s/copy", directory);
  copy_self(path);
  // Every capability, effective at exec, in the on-disk form.
  const struct vfs_cap_data capabilities = {
      .magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
      .data = {{~0U, 0}, {~0U, 0}},
  };
  const int set = setxattr(path, "security.capability", &capabilities, sizeof capabilities, 0);
  probe_gain(probes, "set_file_capabilities", set);
  // Some profiles refuse the bits themselves.
  if (chmod(path, 06755) != 0) {
    probe_refused(probes, "own_setuid_copy", errno_name(errno));
  } else {
    probe_program(probes, "own_setuid_copy", path);
  }
  // Giving the copy to root is the step that would make the bit worth having.
  probe_gain(probes, "chown_to_root", chown(path, 0, 0));
  unlink(path);
  rmdir(directory);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--report") == 0) return report();
  struct probes probes = {0};
  for (int i = 1; i < argc; i++) {
    char name[32];
    snprintf(name, sizeof name, "planted_%d", i);
    probe_program(&probes, name, argv[i]);
  }
  probe_own_copy(&probes);
  return probes_exit_code(&probes);
}
