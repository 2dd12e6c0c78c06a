// Row B04. A set-id program that a sandbox's root left in its layer, or in a tree that it was building, as it
// looks to another user of the host. Runs outside of every sandbox, as that user. Mechanism: a layer is
// mounted in the sandbox's own mount namespace only, builds lie below directories that only root may enter,
// ids are the sandbox's own, and its mounts are nosuid. Expected: EACCES or ENOENT for every way there.
//
// Usage: setid_from_outside PATH…          paths at which the harness knows the file to be
//        setid_from_outside --plant PATH   makes that file, of itself
//        setid_from_outside --report       what the file does when it is run: exit code 42 with another id
#include <dirent.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "probe.h"

enum { kGainedAnId = 42 };

static long run_it(const void* path) {
  execl(path, path, "--report", (char*)NULL);
  return -1;
}

static void probe_path(struct probes* probes, const char* path, int number) {
  char name[64];
  snprintf(name, sizeof name, "open_%d", number);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  probe_gain(probes, name, fd);
  if (fd >= 0) close(fd);
  snprintf(name, sizeof name, "run_%d", number);
  const struct child_result result = in_child(run_it, path);
  if (result.returned) {
    probe_refused(probes, name, errno_name(result.error));
  } else if (WIFEXITED(result.status) && WEXITSTATUS(result.status) == kGainedAnId) {
    probe_worked(probes, name, "gained_an_id");
  } else {
    probe_refused(probes, name, "unchanged");
  }
}

// The roots of processes lead into their mount namespaces.
static void probe_process_roots(struct probes* probes) {
  DIR* processes = opendir("/proc");
  if (processes == NULL) give_up("open /proc");
  for (struct dirent* entry = readdir(processes); entry != NULL; entry = readdir(processes)) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    char path[320];
    snprintf(path, sizeof path, "/proc/%s/root/tmp/planted", entry->d_name);
    if (access(path, F_OK) == 0) probe_worked(probes, "process_root", path);
  }
  closedir(processes);
  if (probes->worked == 0) probe_refused(probes, "process_root", "none");
}

static int plant(const char* path) {
  const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  struct stat status;
  if (from < 0 || to < 0 || fstat(from, &status) != 0) give_up("open %s", path);
  if (sendfile(to, from, NULL, (size_t)status.st_size) != status.st_size) give_up("copy to %s", path);
  if (fchmod(to, 06755) != 0) give_up("chmod %s", path);
  return kExitWorked;
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--report") == 0) {
    return geteuid() != getuid() || getegid() != getgid() ? kGainedAnId : 0;
  }
  if (argc == 3 && strcmp(argv[1], "--plant") == 0) return plant(argv[2]);
  struct probes probes = {0};
  probe_process_roots(&probes);
  for (int i = 1; i < argc; i++) probe_path(&probes, argv[i], i);
  return probes_exit_code(&probes);
}
