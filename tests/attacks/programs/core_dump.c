// Row E18. Crashes, and asks for a core. Mechanism: RLIMIT_CORE is 1: that is too little for any file, and
// the one value at which the kernel does not start the program of a piped core_pattern either. Expected: no
// core.
#include <dirent.h>
#include <sys/resource.h>

#include "probe.h"

static long crash(const void* unused) {
  (void)unused;
  signal(SIGSEGV, SIG_DFL);
  kill(getpid(), SIGSEGV);
  return 0;
}

static bool core_file_here(void) {
  DIR* const here = opendir(".");
  bool found = false;
  for (const struct dirent* entry = readdir(here); entry != NULL; entry = readdir(here)) {
    if (strncmp(entry->d_name, "core", 4) == 0 && strcmp(entry->d_name, "core_dump") != 0) found = true;
  }
  closedir(here);
  return found;
}

int main(void) {
  struct probes probes = {0};
  struct rlimit limit;
  if (getrlimit(RLIMIT_CORE, &limit) != 0) give_up("getrlimit");
  fact("hard_limit", "%lu", (unsigned long)limit.rlim_max);
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_CORE, &limit) != 0) give_up("setrlimit to the hard limit");
  const struct child_result end = in_child(crash, NULL);
  twin(&probes, "crash_is_a_crash", WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGSEGV);
  (WCOREDUMP(end.status) ? probe_worked : probe_refused)(&probes, "dumped",
                                                         WCOREDUMP(end.status) ? "core" : "none");
  const bool file = core_file_here();
  (file ? probe_worked : probe_refused)(&probes, "file", file ? "core" : "none");
  return probes_exit_code(&probes);
}
