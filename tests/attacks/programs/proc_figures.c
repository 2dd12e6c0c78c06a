// Row C05. Looks for figures of the whole machine in those files of /proc that programs need: its memory
// (given in KiB), how many threads it has, its interrupts, context switches and forks. Mechanism: files of
// the sandbox's own lie over them. Expected: the sandbox's figures, or none.
#include "probe.h"

// The first number after `word` in a file of /proc.
static long figure(const char* path, const char* word) {
  FILE* file = fopen(path, "re");
  if (file == NULL) give_up("%s", path);
  char line[4096];
  long found = -1;
  while (found < 0 && fgets(line, sizeof line, file) != NULL) {
    const char* at = strstr(line, word);
    if (at != NULL) found = strtol(at + strlen(word), NULL, 10);
  }
  fclose(file);
  return found;
}

static void judge(struct probes* probes, const char* name, bool is_the_hosts, long seen) {
  char detail[32];
  snprintf(detail, sizeof detail, "%ld", seen);
  (is_the_hosts ? probe_worked : probe_refused)(probes, name, detail);
}

int main(int argc, char** argv) {
  if (argc != 2) give_up("usage: proc_figures KIB");
  struct probes probes = {0};
  const long memory = figure("/proc/meminfo", "MemTotal:");
  judge(&probes, "memory", memory == strtol(argv[1], NULL, 10), memory);
  // More than a sandbox that runs this has, fewer than any machine.
  enum { kFew = 20 };
  const long threads = figure("/proc/loadavg", "/");
  judge(&probes, "threads", threads > kFew, threads);
  const long interrupts = figure("/proc/stat", "intr ");
  judge(&probes, "interrupts", interrupts > 0, interrupts);
  const long switches = figure("/proc/stat", "ctxt ");
  judge(&probes, "switches", switches > 0, switches);
  const long forks = figure("/proc/stat", "processes ");
  judge(&probes, "forks", forks > kFew, forks);
  twin(&probes, "memory_is_told", memory > 0);
  twin(&probes, "boot_time_is_told", figure("/proc/stat", "btime ") > 1000000000);
  twin(&probes, "flags_are_told", figure("/proc/cpuinfo", "flags") >= 0);
  return probes_exit_code(&probes);
}
