// Row E11. Tries to live for SECONDS, in one of five ways in which a process is hard to end. Mechanism:
// init's deadline: TERM, the grace, then the whole leaf is killed. Expected: ended before. Usage:
// outlive_deadline sleeping|busy|ignoring|stopped|vfork SECONDS
#include <time.h>

#include "probe.h"

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static volatile sig_atomic_t terms = 0;
static void take_term(int signal_number) { terms += signal_number == SIGTERM; }

static void sleep_until(long end) {
  long term_seen = 0;
  while (now_ms() < end) {
    if (terms > 0 && term_seen == 0) {
      term_seen = now_ms();
      fact("term", "seen");
    }
    // Well within the grace that the harness gives, so that who is killed at once cannot say it.
    if (term_seen != 0 && now_ms() > term_seen + 100) {
      fact("grace", "used");
      term_seen = end + 1000;
    }
    usleep(10000);
  }
}

// The parent of a vfork waits where only a KILL reaches it, for as long as its child holds on.
static void wait_in_vfork(long end) {
  const pid_t child = vfork();
  if (child == 0) {
    while (now_ms() < end) usleep(10000);
    _exit(0);
  }
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  if (argc != 3) give_up("usage");
  const char* const way = argv[1];
  const long end = now_ms() + 1000 * atol(argv[2]);
  fact("started", "%s", way);
  if (strcmp(way, "sleeping") == 0) {
    while (now_ms() < end) usleep(1000 * (useconds_t)(end - now_ms()) + 1);
  } else if (strcmp(way, "busy") == 0) {
    while (now_ms() < end) {
    }
  } else if (strcmp(way, "ignoring") == 0) {
    signal(SIGTERM, take_term);
    sleep_until(end);
  } else if (strcmp(way, "stopped") == 0) {
    if (fork() == 0) {  // wakes it at the end, where nobody else does
      signal(SIGTERM, SIG_IGN);
      while (now_ms() < end) usleep(10000);
      kill(getppid(), SIGCONT);
      _exit(0);
    }
    signal(SIGTERM, SIG_IGN);
    raise(SIGSTOP);
    while (now_ms() < end) raise(SIGSTOP);
  } else if (strcmp(way, "vfork") == 0) {
    signal(SIGTERM, SIG_IGN);
    wait_in_vfork(end);
  } else {
    give_up("no way %s", way);
  }
  probe_worked(&probes, "outlived", way);
  return probes_exit_code(&probes);
}
