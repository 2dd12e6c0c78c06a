// Row A14. Opens a netlink socket of every protocol (xfrm, netfilter, audit, … are where kernel bugs live),
// and writes through the one that is allowed. Mechanism: seccomp's rule on the protocol; for writes, a
// network namespace owned by another user namespace. Expected: EPROTONOSUPPORT (EPERM for writes); reading
// the list of links works.
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include "probe.h"

enum { kProtocols = 32 };

struct link_request {
  struct nlmsghdr header;
  struct ifinfomsg link;
};

static long open_netlink(long protocol) {
  const long fd = syscall(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
  if (fd >= 0) close((int)fd);
  return fd;
}

// Sends one request and returns what the kernel says: 0, or -1 with errno.
static long ask_route(unsigned short type, unsigned short flags) {
  const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (fd < 0) return -1;
  struct link_request request = {
      .header = {.nlmsg_len = sizeof request, .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags},
      .link = {.ifi_family = AF_UNSPEC, .ifi_index = 1},  // lo; no flag is marked for change
  };
  _Alignas(struct nlmsghdr) char answer[16384];
  const ssize_t sent = send(fd, &request, sizeof request, 0);
  const ssize_t size = sent < 0 ? -1 : recv(fd, answer, sizeof answer, 0);
  close(fd);
  if (size < (ssize_t)sizeof(struct nlmsghdr)) return -1;
  const struct nlmsghdr* header = (const struct nlmsghdr*)answer;
  if (header->nlmsg_type != NLMSG_ERROR) return 0;
  const struct nlmsgerr* error = (const struct nlmsgerr*)NLMSG_DATA(header);
  errno = -error->error;
  return error->error == 0 ? 0 : -1;
}

int main(void) {
  struct probes probes = {0};
  const int* refusals = REFUSED_BY(EPROTONOSUPPORT, EAFNOSUPPORT);
  for (long protocol = 1; protocol < kProtocols; protocol++) {
    char name[48];
    snprintf(name, sizeof name, "protocol_%ld", protocol);
    probe_call(&probes, name, open_netlink(protocol), refusals);
    snprintf(name, sizeof name, "protocol_%ld_high_bit", protocol);
    probe_call(&probes, name, open_netlink(WITH_HIGH_BIT(protocol)), refusals);
  }
  probe_call(&probes, "write_link", ask_route(RTM_SETLINK, NLM_F_ACK), REFUSED_BY(EPERM));
  twin(&probes, "read_links", ask_route(RTM_GETLINK, NLM_F_DUMP) == 0);
  return probes_exit_code(&probes);
}
