// Row E02. As many mappings as the kernel gives to one process, in each of COUNT processes: no page is
// touched, all of it is the kernel's own bookkeeping. Mechanism: that is counted against the sandbox's
// memory. Expected: out of memory. Usage: map_bomb COUNT
#include "probe.h"

static void fill_address_space(int ready) {
  const size_t page = 4096;
  int made = 0;
  // Neighbours of different protection are not merged.
  while (mmap(NULL, page, made % 2 == 0 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
         MAP_FAILED) {
    made++;
  }
  if (write(ready, &made, sizeof made) != sizeof made) _exit(1);
  pause();
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  const int wanted = argc > 1 ? atoi(argv[1]) : 8;
  int ends[2];
  if (pipe(ends) != 0) give_up("pipe");
  for (int i = 0; i < wanted; i++) {
    const pid_t child = fork();
    if (child < 0) give_up("fork");
    if (child == 0) fill_address_space(ends[1]);
    int made = 0;
    if (read(ends[0], &made, sizeof made) != sizeof made) give_up("read");
    fact("mappings", "%d", made);
  }
  probe_worked(&probes, "mappings", "in_every_process");
  signal(SIGTERM, SIG_IGN);
  kill(0, SIGTERM);
  return probes_exit_code(&probes);
}
