#include "sys/notify.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <cstring>

namespace sys {

Result<> notify_service_manager(std::string_view state) {
  const char* const place = std::getenv("NOTIFY_SOCKET");
  if (place == nullptr) return {};
  const std::string_view path = place;
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const bool is_good =
      (path.starts_with('/') || path.starts_with('@')) && path.size() < sizeof address.sun_path;
  if (!is_good) return base::fail(base::Code::kInvalid, "NOTIFY_SOCKET is no address");
  std::memcpy(address.sun_path, path.data(), path.size());
  // An abstract name begins with a null byte, and ends where its length says.
  if (path.front() == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  const UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return base::failed_call("socket(AF_UNIX)");
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  if (::sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL, to, length) < 0) {
    return base::failed_call("sendto(NOTIFY_SOCKET)");
  }
  return {};
}

}  // namespace sys
