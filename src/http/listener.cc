#include "http/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sys/retry.h"
#include "sys/socket.h"

namespace http {

namespace {
using base::failed_call;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress to_kernel(const Address& address) {
  SocketAddress raw;
  if (address.kind == Address::Kind::kIpv4) {
    sockaddr_in in{.sin_family = AF_INET, .sin_port = htons(address.port)};
    ::inet_pton(AF_INET, address.host.c_str(), &in.sin_addr);
    std::memcpy(&raw.storage, &in, raw.size = sizeof in);
  } else {
    sockaddr_in6 in{.sin6_family = AF_INET6, .sin6_port = htons(address.port)};
    ::inet_pton(AF_INET6, address.host.c_str(), &in.sin6_addr);
    std::memcpy(&raw.storage, &in, raw.size = sizeof in);
  }
  return raw;
}

std::unexpected<base::Error> not_bound(const Address& address, int err) {
  auto error = failed_call("listen on " + address.text(), err).error();
  if (err == EADDRINUSE) {
    error.code = base::Code::kConflict;
    error.message += "; another program, or another instance, has it: choose another address";
  }
  return std::unexpected(std::move(error));
}

struct Option {
  const char* name;
  int level;
  int option;
  int value;
};

// Connections inherit them from the listening socket.
base::Result<> set_options(int fd, Address::Kind kind) {
  constexpr Option kOptions[] = {
      // A restart must not wait for the kernel to forget old connections.
      {"SO_REUSEADDR", SOL_SOCKET, SO_REUSEADDR, 1},
      // Small answers leave at once.
      {"TCP_NODELAY", IPPROTO_TCP, TCP_NODELAY, 1},
      // A client that vanished without a word is noticed within two minutes, even by a stream with nothing to
      // send.
      {"SO_KEEPALIVE", SOL_SOCKET, SO_KEEPALIVE, 1},
      {"TCP_KEEPIDLE", IPPROTO_TCP, TCP_KEEPIDLE, 60},
      {"TCP_KEEPINTVL", IPPROTO_TCP, TCP_KEEPINTVL, 15},
      {"TCP_KEEPCNT", IPPROTO_TCP, TCP_KEEPCNT, 4},
      // [::] takes IPv4 clients too.
      {"IPV6_V6ONLY", IPPROTO_IPV6, IPV6_V6ONLY, 0},
  };
  for (const Option& option : kOptions) {
    if (option.level == IPPROTO_IPV6 && kind != Address::Kind::kIpv6) continue;
    if (::setsockopt(fd, option.level, option.option, &option.value, sizeof option.value) != 0)
      return failed_call(std::string("setsockopt(") + option.name + ")");
  }
  return {};
}

base::Result<Listener> listen_tcp(const Address& address) {
  SocketAddress raw = to_kernel(address);
  sys::UniqueFd fd(::socket(raw.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return failed_call("socket");
  RETURN_IF_ERROR(set_options(fd.get(), address.kind));
  if (::bind(fd.get(), raw.get(), raw.size) != 0 || ::listen(fd.get(), 1024) != 0)
    return not_bound(address, errno);
  if (::getsockname(fd.get(), raw.get(), &raw.size) != 0) return failed_call("getsockname");
  Listener listener{std::move(fd), address};
  // At the same place in both kinds of address.
  listener.address.port = ntohs(reinterpret_cast<sockaddr_in*>(raw.get())->sin_port);
  return listener;
}

base::Result<Listener> listen_unix(const Address& address) {
  struct stat status{};
  const bool is_socket = ::lstat(address.host.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
  if (is_socket) {
    const auto other = sys::connect_unix(address.host, SOCK_STREAM);
    if (other) return not_bound(address, EADDRINUSE);
    if (other.error().sys_errno == ECONNREFUSED && ::unlink(address.host.c_str()) != 0)
      return failed_call("unlink(" + address.host + ")");
  }
  ASSIGN_OR_RETURN(sys::UniqueFd fd, sys::listen_unix(address.host, SOCK_STREAM));
  RETURN_IF_ERROR(sys::set_nonblocking(fd.get()));
  return Listener{std::move(fd), address};
}

void name_ipv4(const in_addr& address, Accepted& client) {
  char text[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &address, text, sizeof text);
  client.peer = text;
  client.is_counted = !client.peer.starts_with("127.");
}

void name_ipv6(const in6_addr& address, Accepted& client) {
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    in_addr inner{};
    std::memcpy(&inner, address.s6_addr + 12, sizeof inner);
    return name_ipv4(inner, client);
  }
  char text[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET6, &address, text, sizeof text);
  client.peer = text;
  client.is_counted = !IN6_IS_ADDR_LOOPBACK(&address);
}
}  // namespace

base::Result<Listener> open_listener(const Address& address) {
  return address.kind == Address::Kind::kUnix ? listen_unix(address) : listen_tcp(address);
}

base::Result<std::optional<Accepted>> accept_client(int listener) {
  SocketAddress raw{.size = sizeof(sockaddr_storage)};
  const auto accept = [&] { return ::accept4(listener, raw.get(), &raw.size, SOCK_CLOEXEC | SOCK_NONBLOCK); };
  sys::UniqueFd fd(sys::retry(accept));
  // A client that left again while it waited is nobody.
  if (!fd && (errno == EAGAIN || errno == ECONNABORTED)) return std::optional<Accepted>();
  if (!fd) return failed_call("accept4");
  Accepted client{.fd = std::move(fd), .family = raw.storage.ss_family, .peer = "unix"};
  if (client.family == AF_INET) name_ipv4(reinterpret_cast<sockaddr_in*>(raw.get())->sin_addr, client);
  if (client.family == AF_INET6) name_ipv6(reinterpret_cast<sockaddr_in6*>(raw.get())->sin6_addr, client);
  return std::optional(std::move(client));
}

}  // namespace http
