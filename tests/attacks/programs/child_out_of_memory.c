// Row E05. A child takes memory until the kernel kills it, and the parent goes on as if nothing had happened.
// Mechanism: init hears of the killing and ends the whole run. Expected: no word from the parent.
#include "probe.h"

static void hog(void) {
  const size_t step = 1 << 20;
  for (int i = 0; i < 4096; i++) {
    char* const more = mmap(NULL, step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (more == MAP_FAILED) _exit(1);
    memset(more, 1, step);
  }
  _exit(0);
}

int main(void) {
  struct probes probes = {0};
  const pid_t child = fork();
  if (child == 0) hog();
  int status = 0;
  if (waitpid(child, &status, 0) != child) give_up("waitpid");
  if (!WIFSIGNALED(status)) give_up("the child was not killed: %d", status);
  sleep(2);
  probe_worked(&probes, "parent_goes_on", "two_seconds_later");
  return probes_exit_code(&probes);
}
