// Row E20. A process of a sandbox is the first choice of the kernel's out-of-memory killer; it tries to
// become as unlikely a victim as init, as the host's own processes, or none at all. Mechanism: a floor that
// the helper, as the machine's root, puts under the score. Expected: EACCES.
#include <fcntl.h>

#include "probe.h"

static long set_score(const void* score) {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY);
  if (fd < 0) return -1;
  const char* const text = score;
  return write(fd, text, strlen(text)) < 0 ? -1 : 0;
}

int main(void) {
  struct probes probes = {0};
  int score = 0;
  FILE* const own = fopen("/proc/self/oom_score_adj", "r");
  if (own == NULL || fscanf(own, "%d", &score) != 1) give_up("oom_score_adj");
  fclose(own);
  fact("score", "%d", score);
  const int* const refusals = REFUSED_BY(EACCES);
  probe_in_child(&probes, "below_init", set_score, "399", refusals);
  probe_in_child(&probes, "as_the_host", set_score, "0", refusals);
  probe_in_child(&probes, "below_the_host", set_score, "-1", refusals);
  probe_in_child(&probes, "never", set_score, "-1000", refusals);
  twin(&probes, "worse", set_score("1000") == 0);
  return probes_exit_code(&probes);
}
