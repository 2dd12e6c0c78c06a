// Row E02. A hundred thousand threads, of which COUNT have to live at once. Mechanism: the pids limit counts
// threads. Expected: EAGAIN. Usage: thread_bomb COUNT
#include <pthread.h>

#include "probe.h"

enum { kAttempts = 100000, kRefusals = 100 };

static void* sleep_on(void* unused) {
  while (true) pause();
  return unused;
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  const int wanted = argc > 1 ? atoi(argv[1]) : kAttempts;
  pthread_attr_t small;
  if (pthread_attr_init(&small) != 0 || pthread_attr_setstacksize(&small, 16384) != 0) give_up("attributes");
  int alive = 0;
  int refused = 0;
  // It does not stop at the first refusal: a limit that gives way under pressure is none.
  for (int i = 0; i < kAttempts && refused < kRefusals && alive < wanted; i++) {
    pthread_t thread;
    const int error = pthread_create(&thread, &small, sleep_on, NULL);
    if (error == 0) {
      alive++;
    } else {
      refused++;
      errno = error;
    }
  }
  probe_gain(&probes, "threads", alive == wanted ? 0 : -1);
  fact("threads", "%d", alive);
  return probes_exit_code(&probes);
}
