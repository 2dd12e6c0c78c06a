// Row A16. Pushes characters into a terminal's input (TIOCSTI, TIOCLINUX), changes its line discipline
// (TIOCSETD) and takes over the console (TIOCCONS), each also with bits set above the low 32, which once
// passed a 64-bit comparison. The terminal is a pty of our own. Mechanism: seccomp's rule on the low half of
// the request. Expected: EPERM. On a descriptor that is no terminal the kernel itself says ENOTTY, so there
// EPERM can only be the filter's.
#include <fcntl.h>
#include <sys/ioctl.h>

#include "probe.h"

struct request {
  const char* name;
  long number;
};

static const struct request kRequests[] = {
    {"tiocsti", TIOCSTI},
    {"tioclinux", TIOCLINUX},
    {"tiocsetd", TIOCSETD},
    {"tioccons", TIOCCONS},
};

// Makes a fresh pty the controlling terminal of a new session and returns its inner end.
static int own_terminal(void) {
  const int outer = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (outer < 0 || grantpt(outer) != 0 || unlockpt(outer) != 0) give_up("a pty");
  setsid();
  const int inner = open(ptsname(outer), O_RDWR | O_CLOEXEC);
  if (inner < 0) give_up("the inner end of the pty");
  ioctl(inner, TIOCSCTTY, 0);
  return inner;
}

static void probe_request(struct probes* probes, const struct request* request, int fd, const char* where) {
  // One buffer serves all: the character 'x' for TIOCSTI, line discipline 'x' (there is none) for TIOCSETD.
  int value = 'x';
  const int* eperm = REFUSED_BY(EPERM);
  char name[64];
  snprintf(name, sizeof name, "%s_on_%s", request->name, where);
  probe_call(probes, name, syscall(SYS_ioctl, fd, request->number, &value), eperm);
  snprintf(name, sizeof name, "%s_on_%s_high_bit", request->name, where);
  probe_call(probes, name, syscall(SYS_ioctl, fd, WITH_HIGH_BIT(request->number), &value), eperm);
  snprintf(name, sizeof name, "%s_on_%s_top_bit", request->name, where);
  probe_call(probes, name, syscall(SYS_ioctl, fd, WITH_TOP_BIT(request->number), &value), eperm);
}

// A session leader that is also the leader of its process group cannot call setsid, hence the child.
static int attack(void) {
  struct probes probes = {0};
  const int terminal = own_terminal();
  int no_terminal[2];
  if (pipe2(no_terminal, O_CLOEXEC) != 0) give_up("pipe2");
  for (size_t i = 0; i < sizeof kRequests / sizeof kRequests[0]; i++) {
    probe_request(&probes, &kRequests[i], terminal, "pty");
    probe_request(&probes, &kRequests[i], no_terminal[0], "pipe");
  }
  struct winsize size;
  twin(&probes, "window_size", ioctl(terminal, TIOCGWINSZ, &size) == 0);
  return probes_exit_code(&probes);
}

int main(void) {
  const pid_t child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) exit(attack());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kExitFailed;
}
