// Row B06. Signals every process id up to 65535, then all at once. With signal 0 (the default) it only learns
// whether it could. Mechanism: the pid namespace (others have no number here) and the id block (init runs as
// another id). Expected: ESRCH for all others, EPERM for pid 1. Usage: kill_everything [SIGNAL [LAST_PID]]
// The harness starts it directly, without a shell: a parent of the same user would be a lawful target.
#include "probe.h"

int main(int argc, char** argv) {
  struct probes probes = {0};
  const int signal_number = argc > 1 ? atoi(argv[1]) : 0;
  const int last = argc > 2 ? atoi(argv[2]) : 65535;
  int absent = 0;
  for (pid_t pid = 1; pid <= last; pid++) {
    if (pid == getpid()) continue;
    const int result = kill(pid, signal_number);
    if (result != 0 && errno == ESRCH) {
      absent++;
      continue;
    }
    char name[32];
    snprintf(name, sizeof name, "kill_%d", pid);
    probe_gain(&probes, name, result);
  }
  fact("pids.absent", "%d", absent);
  probe_gain(&probes, "kill_all", kill(-1, signal_number));
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  twin(&probes, "kill_own_child", kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
  return probes_exit_code(&probes);
}
