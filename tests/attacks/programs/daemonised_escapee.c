// Row B15. Leaves processes behind that try to outlive their run: double fork, own session, own process
// group, every catchable signal ignored, a new name, no descriptor of the caller's left. Mechanism: the run's
// own cgroup leaf is killed whole. Expected: no heartbeat a second after the run timed out. Usage:
// daemonised_escapee start FILE [SECONDS]   leaves three behind, each beating into FILE, and waits to be
// timed out
//        daemonised_escapee check FILE             WORKED if any of them still beats
// They end by themselves after SECONDS (30), so nothing is left over even where the attack works.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#include "probe.h"

enum { kEscapees = 3, kBeatMillis = 50, kCheckMillis = 1000 };

static void sleep_millis(long millis) {
  const struct timespec time = {.tv_sec = millis / 1000, .tv_nsec = millis % 1000 * 1000000L};
  nanosleep(&time, NULL);
}

static void ignore_signals(void) {
  for (int number = 1; number < SIGRTMAX; number++) signal(number, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
}

// Appends a byte again and again; the file's size is the heartbeat.
__attribute__((noreturn)) static void beat(const char* path, long seconds) {
  ignore_signals();
  prctl(PR_SET_NAME, "kworker/0:0", 0, 0, 0);
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  for (int other = 0; other < 64; other++) {
    if (other != fd) close(other);
  }
  for (long beats = 0; beats < seconds * 1000 / kBeatMillis; beats++) {
    if (write(fd, ".", 1) != 1) _exit(kExitFailed);
    sleep_millis(kBeatMillis);
  }
  _exit(0);
}

// The middle process ends at once, so the escapee's parent is pid 1.
static void leave_behind(const char* path, long seconds) {
  const pid_t middle = fork();
  if (middle < 0) give_up("fork");
  if (middle == 0) {
    setsid();
    const pid_t escapee = fork();
    if (escapee == 0) {
      setpgid(0, 0);
      beat(path, seconds);
    }
    _exit(escapee < 0 ? kExitFailed : 0);
  }
  int status = 0;
  waitpid(middle, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) give_up("the second fork");
}

static int start(const char* path, long seconds) {
  for (int i = 0; i < kEscapees; i++) leave_behind(path, seconds);
  printf("fact escapees %d\n", kEscapees);
  fflush(stdout);
  ignore_signals();
  sleep_millis(seconds * 1000);
  return kExitFailed;  // the timeout should have come first
}

static off_t size_of(const char* path) {
  struct stat status;
  if (stat(path, &status) != 0) give_up("stat %s", path);
  return status.st_size;
}

static int check(const char* path) {
  struct probes probes = {0};
  const off_t before = size_of(path);
  sleep_millis(kCheckMillis);
  if (before == 0) give_up("%s: the escapees never ran", path);
  if (size_of(path) > before) {
    probe_worked(&probes, "escapee", "still_beating");
  } else {
    probe_refused(&probes, "escapee", "gone");
  }
  return probes_exit_code(&probes);
}

int main(int argc, char** argv) {
  if (argc >= 3 && strcmp(argv[1], "start") == 0) return start(argv[2], argc > 3 ? atol(argv[3]) : 30);
  if (argc == 3 && strcmp(argv[1], "check") == 0) return check(argv[2]);
  give_up("usage: daemonised_escapee start FILE [SECONDS] | check FILE");
}
