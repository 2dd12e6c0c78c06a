#include "files/connection.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "sys/retry.h"

namespace files {

Result<> Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = sys::retry([&] { return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); });
    if (n < 0) return base::failed_call("send");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<bool> Connection::fill(int flags) {
  std::array<char, 65536> buffer;
  const ssize_t n = sys::retry([&] { return ::recv(socket_, buffer.data(), buffer.size(), flags); });
  if (n < 0 && errno == EAGAIN) return false;
  if (n < 0) return base::failed_call("recv");
  if (n == 0) return base::fail(base::Code::kUnavailable, "the other side has closed");
  frames_.feed({buffer.data(), static_cast<std::size_t>(n)});
  return true;
}

Result<wire::Frame> Connection::receive() {
  while (true) {
    ASSIGN_OR_RETURN(auto frame, frames_.next());
    if (frame) return *std::move(frame);
    RETURN_IF_ERROR(fill(0));
  }
}

Result<std::optional<wire::Frame>> Connection::receive_now() {
  while (true) {
    ASSIGN_OR_RETURN(auto frame, frames_.next());
    if (frame) return frame;
    ASSIGN_OR_RETURN(const bool more, fill(MSG_DONTWAIT));
    if (!more) return std::optional<wire::Frame>();
  }
}

}  // namespace files
