// Row E01. Starts processes until COUNT of them live at once. Mechanism: the pids limit of the sandbox's
// control group. Expected: EAGAIN. Usage: fork_bomb COUNT; without a count it forks from every process, and
// never stops: only for where a deadline ends all of it.
#include "probe.h"

static void explode(void) {
  while (true) {
    if (fork() < 0) usleep(1000);
  }
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  if (argc < 2) explode();
  const int wanted = atoi(argv[1]);
  pid_t* const children = calloc((size_t)wanted, sizeof *children);
  int count = 0;
  while (count < wanted) {
    const pid_t child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
    if (child < 0) break;
    children[count++] = child;
  }
  probe_gain(&probes, "processes", count == wanted ? 0 : -1);
  fact("processes", "%d", count);
  for (int i = 0; i < count; i++) kill(children[i], SIGKILL);
  for (int i = 0; i < count; i++) waitpid(children[i], NULL, 0);
  const pid_t last = fork();
  if (last == 0) _exit(0);
  twin(&probes, "fork_after_the_bomb", last > 0 && waitpid(last, NULL, 0) == last);
  return probes_exit_code(&probes);
}
