#include "sys/socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sys/retry.h"

namespace sys {

using base::failed_call;

namespace {
Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return base::fail(base::Code::kInvalid, "socket path is too long (107 bytes at most): " + path);
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

void take_descriptors(msghdr& message, std::vector<UniqueFd>& out) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      out.emplace_back(fd);
    }
  }
}

std::optional<PeerCredentials> sender_of(msghdr& message) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS) continue;
    ucred credentials{};
    std::memcpy(&credentials, CMSG_DATA(c), sizeof credentials);
    return PeerCredentials{.pid = credentials.pid, .uid = credentials.uid, .gid = credentials.gid};
  }
  return std::nullopt;
}
}  // namespace

Result<SocketPair> make_socket_pair(int type) {
  int fds[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds) != 0) return failed_call("socketpair");
  return SocketPair{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Result<Pipe> make_pipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return failed_call("pipe2");
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Result<UniqueFd> listen_unix(const std::string& path, int type) {
  ASSIGN_OR_RETURN(const auto address, address_of(path));
  UniqueFd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return failed_call("socket(AF_UNIX)");
  // The mode is set on the socket itself, so the path is never there with a wider one.
  RETURN_IF_ERROR(fchmod(fd.get(), 0600));
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return failed_call("bind(" + path + ")");
  }
  if (::listen(fd.get(), 128) != 0) return failed_call("listen(" + path + ")");
  return fd;
}

namespace {
// The kernel finds one that nobody has.
Result<> take_some_name(int socket) {
  const sa_family_t family = AF_UNIX;
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&family), sizeof family) == 0) return {};
  return failed_call("bind");
}
}  // namespace

Result<UniqueFd> connect_unix(const std::string& path, int type, Origin origin) {
  ASSIGN_OR_RETURN(const auto address, address_of(path));
  UniqueFd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  if (!fd) return failed_call("socket(AF_UNIX)");
  if (origin == Origin::kNamed) RETURN_IF_ERROR(take_some_name(fd.get()));
  if (retry([&] {
        return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
      }) != 0) {
    return failed_call("connect(" + path + ")");
  }
  return fd;
}

Result<Accepted> accept_with_origin(int listener) {
  sockaddr_un address{};
  socklen_t size = sizeof address;
  UniqueFd fd(retry([&] {
    size = sizeof address;
    return ::accept4(listener, reinterpret_cast<sockaddr*>(&address), &size, SOCK_CLOEXEC);
  }));
  if (!fd) return failed_call("accept");
  return Accepted{.socket = std::move(fd),
                  .origin = size > sizeof address.sun_family ? Origin::kNamed : Origin::kNameless};
}

Result<UniqueFd> accept(int listener, int flags) {
  UniqueFd fd(retry([&] { return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | flags); }));
  if (!fd) return failed_call("accept");
  return fd;
}

Result<> set_receive_timeout(int socket, int seconds) {
  const timeval limit{.tv_sec = seconds, .tv_usec = 0};
  if (::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0) return {};
  return failed_call("setsockopt(SO_RCVTIMEO)");
}

Result<> set_nonblocking(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) return failed_call("fcntl(O_NONBLOCK)");
  return {};
}

Result<PeerCredentials> peer_credentials(int socket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return failed_call("getsockopt(SO_PEERCRED)");
  }
  return PeerCredentials{.pid = credentials.pid, .uid = credentials.uid, .gid = credentials.gid};
}

Result<> ask_for_credentials(int socket) {
  const int yes = 1;
  if (::setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) == 0) return {};
  return failed_call("setsockopt(SO_PASSCRED)");
}

Result<> send_packet(int socket, std::span<const std::byte> bytes, std::span<const int> fds) {
  if (fds.size() > kMaxPassedFds)
    return base::fail(base::Code::kInternal, "too many descriptors in one packet");
  iovec io{.iov_base = const_cast<std::byte*>(bytes.data()), .iov_len = bytes.size()};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int) * kMaxPassedFds)> control{};
  msghdr message{};
  message.msg_iov = &io;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(c), fds.data(), fds.size_bytes());
  }
  if (retry([&] { return ::sendmsg(socket, &message, MSG_NOSIGNAL); }) < 0) return failed_call("sendmsg");
  return {};
}

Result<Packet> receive_packet(int socket, std::span<std::byte> buffer) {
  iovec io{.iov_base = buffer.data(), .iov_len = buffer.size()};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int) * kMaxPassedFds) + CMSG_SPACE(sizeof(ucred))>
      control{};
  msghdr message{};
  message.msg_iov = &io;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t n = retry([&] { return ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC); });
  if (n < 0) return failed_call("recvmsg");
  Packet packet{
      .size = static_cast<std::size_t>(n), .fds = {}, .sender = sender_of(message), .truncated = false};
  take_descriptors(message, packet.fds);
  packet.truncated = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  return packet;
}

}  // namespace sys
