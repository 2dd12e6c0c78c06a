#include "init/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace init {

short Channel::wanted_events() const { return static_cast<short>(POLLIN | (idle() ? 0 : POLLOUT)); }

void Channel::send(std::uint32_t stream, const wire::init::Event& event) {
  outgoing_ += wire::init::encode(stream, event);
}

Result<> Channel::flush() {
  while (!idle()) {
    const ssize_t n =
        ::send(fd(), outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      forget_sent();
      return {};
    }
    if (n < 0) return base::failed_call("send");
    sent_ += static_cast<std::size_t>(n);
  }
  outgoing_.clear();
  sent_ = 0;
  return {};
}

// A producer that is always ahead of the engine never leaves the buffer empty, and would keep all it ever
// said.
void Channel::forget_sent() {
  if (sent_ < kHighWater) return;
  outgoing_.erase(0, sent_);
  sent_ = 0;
}

Result<bool> Channel::fill() {
  std::array<char, 65536> buffer;
  const ssize_t n = ::recv(fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (n < 0) return base::failed_call("recv");
  if (n == 0) return false;
  incoming_.feed({buffer.data(), static_cast<std::size_t>(n)});
  return true;
}

Result<std::optional<Channel::Message>> Channel::next() {
  ASSIGN_OR_RETURN(auto frame, incoming_.next());
  if (!frame) return std::optional<Message>();
  ASSIGN_OR_RETURN(auto request, wire::init::decode_request(*frame));
  return std::optional(Message{.stream = frame->stream, .request = std::move(request)});
}

}  // namespace init
