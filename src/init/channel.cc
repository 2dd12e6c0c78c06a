#include "init/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "sys/retry.h"
#include "sys/socket.h"
#include "wire/file_messages.h"

namespace init {

Result<Channel> Channel::await(int listener, std::chrono::milliseconds limit) {
  while (true) {
    pollfd waiting{.fd = listener, .events = POLLIN, .revents = 0};
    const int ready = sys::retry([&] { return ::poll(&waiting, 1, static_cast<int>(limit.count())); });
    if (ready < 0) return base::failed_call("poll(listener)");
    if (ready == 0) return base::fail(base::Code::kTimeout, "no engine connected");
    auto socket = sys::accept(listener);
    if (socket) return Channel(*std::move(socket));
    // It has gone again, and another may come.
    if (socket.error().sys_errno != EAGAIN && socket.error().sys_errno != ECONNABORTED) {
      return std::unexpected(std::move(socket).error());
    }
  }
}

short Channel::wanted_events() const { return static_cast<short>(POLLIN | (idle() ? 0 : POLLOUT)); }

void Channel::send(std::uint32_t stream, const wire::init::Event& event) {
  if (is_connected()) outgoing_ += wire::init::encode(stream, event);
}

void Channel::pass(const wire::Frame& frame) {
  outgoing_ += wire::encode_frame(frame.type, frame.stream, frame.payload);
}

Result<> Channel::flush() {
  while (!idle()) {
    const ssize_t n =
        ::send(fd(), outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    // Memory that is short now is the sandbox's own; poll says when to try again.
    if (n < 0 && (errno == EAGAIN || errno == ENOMEM || errno == ENOBUFS)) {
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
  if (wire::file::is_request(frame->type)) return std::optional(Message{.file = std::move(frame)});
  ASSIGN_OR_RETURN(auto request, wire::init::decode_request(*frame));
  return std::optional(Message{.stream = frame->stream, .request = std::move(request)});
}

wire::init::Failed failed_of(const base::Error& error) {
  return {.code = static_cast<std::uint32_t>(error.code),
          .sys_errno = error.sys_errno,
          .message = error.message.substr(0, wire::init::kMaxMessage)};
}

void refuse(int listener, const base::Error& error) {
  // An engine that did not come in all its time does not come now.
  if (error.code == base::Code::kTimeout) return;
  auto channel = Channel::await(listener, Channel::kFirstContact);
  if (!channel) return;
  channel->send(wire::init::kConnection, failed_of(base::with_context("init", error)));
  (void)channel->flush();
}

}  // namespace init
