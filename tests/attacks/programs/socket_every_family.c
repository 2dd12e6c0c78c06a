// Row A12. Opens a socket of every address family, in every type, and of the refused ones again with a bit
// above the low 32 set. Mechanism: seccomp's rule on the family. Expected: EAFNOSUPPORT; unix, inet, inet6
// and netlink work.
#include <sys/socket.h>

#include "probe.h"

enum { kFamilies = 47 };

static const int kTypes[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET};

static bool is_lawful(int family) {
  return family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
}

// The best that any type achieves: a socket, else the errno farthest from "no such family".
static long open_any_type(long family) {
  int error = EAFNOSUPPORT;
  for (size_t i = 0; i < sizeof kTypes / sizeof kTypes[0]; i++) {
    const long fd = syscall(SYS_socket, family, kTypes[i] | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
      close((int)fd);
      return 0;
    }
    if (errno != EAFNOSUPPORT) error = errno;
  }
  errno = error;
  return -1;
}

static void probe_family(struct probes* probes, int family) {
  char name[48];
  snprintf(name, sizeof name, "family_%d", family);
  probe_call(probes, name, open_any_type(family), REFUSED_BY(EAFNOSUPPORT));
  snprintf(name, sizeof name, "family_%d_high_bit", family);
  probe_call(probes, name, open_any_type(WITH_HIGH_BIT(family)), REFUSED_BY(EAFNOSUPPORT));
  snprintf(name, sizeof name, "family_%d_pair", family);
  int pair[2];
  const int result = socketpair(family, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
  probe_call(probes, name, result, REFUSED_BY(EAFNOSUPPORT));
  if (result == 0) {
    close(pair[0]);
    close(pair[1]);
  }
}

int main(void) {
  struct probes probes = {0};
  for (int family = 0; family < kFamilies; family++) {
    if (!is_lawful(family)) probe_family(&probes, family);
  }
  twin(&probes, "unix", open_any_type(AF_UNIX) == 0);
  twin(&probes, "inet", open_any_type(AF_INET) == 0);
  twin(&probes, "inet6", open_any_type(AF_INET6) == 0);
  twin(&probes, "netlink", open_any_type(AF_NETLINK) == 0);
  int pair[2];
  twin(&probes, "unix_pair", socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
  return probes_exit_code(&probes);
}
