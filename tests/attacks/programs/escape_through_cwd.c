// Row B09. Asks where it stands: a working directory outside the root ("(unreachable)") lets .. climb the
// host's tree. The harness runs it with each hostile working directory it can ask for: /proc/self/fd/7,
// /proc/1/cwd, a deleted directory, a link to a host path, a file. Mechanism: the directory is opened inside
// the new root and verified, and inherited ones are left behind. Expected: the run is refused, or the
// directory lies beneath the root. Usage: escape_through_cwd [CANARY_FILE_NAME]
#include <sys/stat.h>

#include "probe.h"

static bool same_file(const struct stat* a, const struct stat* b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// Climbs until .. leads nowhere further and reports what the top is. Never more steps than a path can have.
static void probe_climb(struct probes* probes, const char* canary) {
  struct stat root;
  struct stat here;
  struct stat above;
  if (stat("/", &root) != 0 || stat(".", &here) != 0) {
    probe_refused(probes, "climb", errno_name(errno));
    return;
  }
  for (int depth = 0; depth < 2048; depth++) {
    if (canary != NULL && access(canary, F_OK) == 0) probe_worked(probes, "canary_on_the_way_up", canary);
    if (chdir("..") != 0 || stat(".", &above) != 0 || same_file(&here, &above)) break;
    here = above;
  }
  if (same_file(&here, &root)) {
    probe_refused(probes, "climb", "top_is_own_root");
  } else {
    probe_worked(probes, "climb", "top_is_not_own_root");
  }
}

static void probe_cwd(struct probes* probes) {
  char path[4096] = "";
  // The kernel's own answer: the library would hide "(unreachable)" behind an error.
  if (syscall(SYS_getcwd, path, sizeof path) < 0) {
    probe_refused(probes, "unreachable_cwd", errno_name(errno));
    return;
  }
  fact("cwd", "%s", path);
  if (path[0] == '/') {
    probe_refused(probes, "unreachable_cwd", "beneath_root");
  } else {
    probe_worked(probes, "unreachable_cwd", path);
  }
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  int next = 1;
  if (argc > 2 && strcmp(argv[1], "--enter") == 0) {
    if (chdir(argv[2]) != 0) probe_refused(&probes, "enter", errno_name(errno));
    next = 3;
  }
  probe_cwd(&probes);
  probe_climb(&probes, next < argc ? argv[next] : NULL);
  return probes_exit_code(&probes);
}
