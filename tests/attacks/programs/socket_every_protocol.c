// Row A13. In the two internet families: every protocol for stream and datagram sockets, and the raw, packet
// and sequenced types. Mechanism: seccomp's rule on type and protocol. Expected: EPROTONOSUPPORT; only TCP
// and UDP work.
#include <netinet/in.h>
#include <sys/socket.h>

#include "probe.h"

enum { kLastProtocol = 262, kMptcp = 262, kL2tp = 115 };  // 262 is MPTCP, the last that Linux knows

struct form {
  const char* name;
  int type;
};

static const struct form kForms[] = {
    {"stream", SOCK_STREAM}, {"dgram", SOCK_DGRAM}, {"raw", SOCK_RAW},       {"rdm", SOCK_RDM},
    {"seq", SOCK_SEQPACKET}, {"dccp", SOCK_DCCP},   {"packet", SOCK_PACKET},
};

// Streams and datagrams are asked for with every protocol; the other types are refused as such, a few
// protocols will do.
static bool is_worth_asking(int type, int protocol) {
  static const int kSample[] = {
      0,     IPPROTO_ICMP, IPPROTO_TCP,     IPPROTO_UDP, IPPROTO_DCCP, IPPROTO_ICMPV6,
      kL2tp, IPPROTO_SCTP, IPPROTO_UDPLITE, IPPROTO_RAW, kMptcp};
  if (type == SOCK_STREAM || type == SOCK_DGRAM) return true;
  for (size_t i = 0; i < sizeof kSample / sizeof kSample[0]; i++) {
    if (kSample[i] == protocol) return true;
  }
  return false;
}

// A stream socket of UDP is nonsense that the kernel itself turns down in the policy's words; no need to ask.
static bool is_lawful(int type, int protocol) {
  const bool common = type == SOCK_STREAM || type == SOCK_DGRAM;
  return common && (protocol == 0 || protocol == IPPROTO_TCP || protocol == IPPROTO_UDP);
}

static long try_socket(int family, long type, long protocol) {
  const long fd = syscall(SYS_socket, family, type | SOCK_CLOEXEC, protocol);
  if (fd >= 0) close((int)fd);
  return fd;
}

static void probe_family(struct probes* probes, const char* label, int family) {
  char name[64];
  for (size_t i = 0; i < sizeof kForms / sizeof kForms[0]; i++) {
    for (int protocol = 0; protocol <= kLastProtocol; protocol++) {
      if (is_lawful(kForms[i].type, protocol) || !is_worth_asking(kForms[i].type, protocol)) continue;
      snprintf(name, sizeof name, "%s_%s_%d", label, kForms[i].name, protocol);
      probe_call(probes, name, try_socket(family, kForms[i].type, protocol), REFUSED_BY(EPROTONOSUPPORT));
    }
  }
  snprintf(name, sizeof name, "%s_mptcp_high_bit", label);
  probe_call(probes, name, try_socket(family, SOCK_STREAM, WITH_HIGH_BIT(kMptcp)),
             REFUSED_BY(EPROTONOSUPPORT));
  snprintf(name, sizeof name, "%s_raw_high_bit", label);
  probe_call(probes, name, try_socket(family, WITH_HIGH_BIT(SOCK_RAW), IPPROTO_ICMP),
             REFUSED_BY(EPROTONOSUPPORT));
  snprintf(name, sizeof name, "%s_tcp", label);
  twin(probes, name, try_socket(family, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP) >= 0);
  snprintf(name, sizeof name, "%s_udp", label);
  twin(probes, name, try_socket(family, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDP) >= 0);
}

int main(void) {
  struct probes probes = {0};
  probe_family(&probes, "inet", AF_INET);
  probe_family(&probes, "inet6", AF_INET6);
  return probes_exit_code(&probes);
}
