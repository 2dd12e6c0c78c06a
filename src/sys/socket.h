#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sys/file.h"

namespace sys {

struct SocketPair {
  UniqueFd ours;
  UniqueFd theirs;
};
struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

// type: SOCK_STREAM or SOCK_SEQPACKET.
Result<SocketPair> make_socket_pair(int type);
Result<Pipe> make_pipe();
// Binds a new path socket (mode 0600) and listens. An existing file at the path is an error.
Result<UniqueFd> listen_unix(const std::string& path, int type);
// Whether the connecting end has an address of its own, which the other side can see.
enum class Origin { kNameless, kNamed };
Result<UniqueFd> connect_unix(const std::string& path, int type, Origin origin = Origin::kNameless);
struct Accepted {
  UniqueFd socket;
  Origin origin = Origin::kNameless;
};
Result<Accepted> accept_with_origin(int listener);
// `flags`: SOCK_NONBLOCK, or none.
Result<UniqueFd> accept(int listener, int flags = 0);
Result<> set_nonblocking(int fd);
// A receive that waits longer than this fails with EAGAIN.
Result<> set_receive_timeout(int socket, int seconds);

struct PeerCredentials {
  pid_t pid = 0;
  uid_t uid = 0;
  gid_t gid = 0;
};
Result<PeerCredentials> peer_credentials(int socket);
// Packets that are received from now on tell who sent them, by the kernel's word.
Result<> ask_for_credentials(int socket);

constexpr std::size_t kMaxPassedFds = 16;

// One packet with descriptors beside it. Blocks on a blocking socket.
Result<> send_packet(int socket, std::span<const std::byte> bytes, std::span<const int> fds = {});

struct Packet {
  std::size_t size = 0;  // 0: the other side has closed
  std::vector<UniqueFd> fds;
  std::optional<PeerCredentials> sender =
      {};                  // where credentials were asked for; ids as this process sees them
  bool truncated = false;  // more bytes or descriptors came than were asked for
};
Result<Packet> receive_packet(int socket, std::span<std::byte> buffer);

}  // namespace sys
