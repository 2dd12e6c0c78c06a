// Row A15. Socket options that reach rarely-used kernel code: upper-layer protocols on TCP, packet programs,
// IPsec policies, UDP encapsulation, and option levels of exotic families. Mechanism: seccomp's option table.
// Expected: ENOPROTOOPT or EPERM. Some of them the kernel turns down in the same words where the caller has
// no CAP_NET_ADMIN or the level does not fit the socket; those prove nothing by themselves and are here for
// the day when they would.
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include "probe.h"

struct option {
  const char* name;
  int type;  // of the socket
  long level;
  long option;
};

// Numbers newer than some headers.
enum { kTcpUlp = 31, kFirstExoticLevel = 279, kLastExoticLevel = 287 };

static const struct option kOptions[] = {
    {"tcp_ulp", SOCK_STREAM, IPPROTO_TCP, kTcpUlp},
    {"so_attach_filter", SOCK_DGRAM, SOL_SOCKET, SO_ATTACH_FILTER},
    {"so_attach_bpf", SOCK_DGRAM, SOL_SOCKET, SO_ATTACH_BPF},
    {"so_attach_reuseport_cbpf", SOCK_DGRAM, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF},
    {"so_attach_reuseport_ebpf", SOCK_DGRAM, SOL_SOCKET, SO_ATTACH_REUSEPORT_EBPF},
    {"ip_ipsec_policy", SOCK_DGRAM, IPPROTO_IP, 16},
    {"ip_xfrm_policy", SOCK_DGRAM, IPPROTO_IP, 17},
    {"udp_encap", SOCK_DGRAM, IPPROTO_UDP, UDP_ENCAP},
};
static const struct option kOptions6[] = {
    {"ipv6_ipsec_policy", SOCK_DGRAM, IPPROTO_IPV6, 34},
    {"ipv6_xfrm_policy", SOCK_DGRAM, IPPROTO_IPV6, 35},
    {"udp_encap_on_ipv6", SOCK_DGRAM, IPPROTO_UDP, UDP_ENCAP},
};

// A value of four zero bytes: no upper protocol, descriptor 0, encapsulation off.
static void probe_option(struct probes* probes, int family, const struct option* option) {
  const int* refusals = REFUSED_BY(ENOPROTOOPT, EPERM);
  const int fd = socket(family, option->type | SOCK_CLOEXEC, 0);
  if (fd < 0) give_up("socket");
  const int zero = 0;
  char name[64];
  const long plain = syscall(SYS_setsockopt, fd, option->level, option->option, &zero, sizeof zero);
  probe_call(probes, option->name, plain, refusals);
  snprintf(name, sizeof name, "%s_high_bits", option->name);
  const long high = syscall(SYS_setsockopt, fd, WITH_HIGH_BIT(option->level), WITH_HIGH_BIT(option->option),
                            &zero, sizeof zero);
  probe_call(probes, name, high, refusals);
  close(fd);
}

// The whole attack once: a packet program of one instruction that the kernel would run.
static void probe_real_filter(struct probes* probes) {
  struct sock_filter accept_all = BPF_STMT(BPF_RET | BPF_K, 0xffff);
  const struct sock_fprog program = {1, &accept_all};
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const int result = setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
  probe_call(probes, "attach_a_real_filter", result, REFUSED_BY(ENOPROTOOPT, EPERM));
  close(fd);
}

static bool lawful_option_works(void) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int one = 1;
  const bool works = setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
                     setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0;
  close(fd);
  return works;
}

int main(void) {
  struct probes probes = {0};
  for (size_t i = 0; i < sizeof kOptions / sizeof kOptions[0]; i++)
    probe_option(&probes, AF_INET, &kOptions[i]);
  for (size_t i = 0; i < sizeof kOptions6 / sizeof kOptions6[0]; i++) {
    probe_option(&probes, AF_INET6, &kOptions6[i]);
  }
  for (long level = kFirstExoticLevel; level <= kLastExoticLevel; level++) {
    char name[32];
    snprintf(name, sizeof name, "level_%ld", level);
    const struct option option = {name, SOCK_STREAM, level, 1};
    probe_option(&probes, AF_INET, &option);
  }
  probe_real_filter(&probes);
  twin(&probes, "reuseaddr_and_nodelay", lawful_option_works());
  return probes_exit_code(&probes);
}
