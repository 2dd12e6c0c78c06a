// Row B16. Administers the network namespace: link state, MTU, an address-spoofing socket option, raw
// sockets, sysctls. Run as the user and as root of a root-mode sandbox. Mechanism: the network namespace is
// owned by the nursery's user namespace, so no capability of the sandbox reaches it. Expected: EPERM (EACCES
// or EROFS for sysctls). Every change sets a value to what it already is, so nothing differs if it is let
// through.
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "probe.h"

// Reads a setting of lo and writes the same back.
static long rewrite(unsigned long get, unsigned long set) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) give_up("socket");
  struct ifreq request = {.ifr_name = "lo"};
  if (ioctl(fd, get, &request) != 0) give_up("read a setting of lo");
  const int result = ioctl(fd, set, &request);
  const int error = errno;
  close(fd);
  errno = error;
  return result;
}

static long set_option(int level, int option) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int one = 1;
  const int result = setsockopt(fd, level, option, &one, sizeof one);
  const int error = errno;
  close(fd);
  errno = error;
  return result;
}

static long open_and_close(int family, int type, int protocol) {
  const int fd = socket(family, type | SOCK_CLOEXEC, protocol);
  if (fd >= 0) close(fd);
  return fd;
}

static long open_for_writing(const char* path) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd >= 0) close(fd);
  return fd;
}

int main(void) {
  struct probes probes = {0};
  fact("uid", "%d", (int)getuid());
  probe_gain(&probes, "link_flags", rewrite(SIOCGIFFLAGS, SIOCSIFFLAGS));
  probe_gain(&probes, "link_mtu", rewrite(SIOCGIFMTU, SIOCSIFMTU));
  probe_gain(&probes, "link_txqueuelen", rewrite(SIOCGIFTXQLEN, SIOCSIFTXQLEN));
  probe_gain(&probes, "ip_transparent", set_option(IPPROTO_IP, IP_TRANSPARENT));
  probe_gain(&probes, "so_mark", set_option(SOL_SOCKET, SO_MARK));
  probe_gain(&probes, "raw_socket", open_and_close(AF_INET, SOCK_RAW, IPPROTO_ICMP));
  probe_gain(&probes, "packet_socket", open_and_close(AF_PACKET, SOCK_RAW, 0));
  probe_gain(&probes, "sysctl_ip_forward", open_for_writing("/proc/sys/net/ipv4/ip_forward"));
  probe_gain(&probes, "sysctl_port_range", open_for_writing("/proc/sys/net/ipv4/ip_unprivileged_port_start"));
  twin(&probes, "tcp_socket", open_and_close(AF_INET, SOCK_STREAM, 0) >= 0);
  return probes_exit_code(&probes);
}
