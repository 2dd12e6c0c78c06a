#include "engine/streams.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/check.h"
#include "sys/retry.h"

namespace engine {

namespace {

using base::Code;

bool has_input(int fd) {
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, 0) > 0;
}

}  // namespace

int Streams::fd() const { return sandbox_.socket_.get(); }

// To one that takes nothing more there is nothing to send, but its last words are to be had without waiting.
short Streams::wanted_events() const {
  return static_cast<short>(POLLIN | (unsent_ > 0 || is_deaf_ ? POLLOUT : 0));
}

std::uint32_t Streams::open(std::shared_ptr<StreamListener> listener) {
  const std::uint32_t stream = sandbox_.take_stream();
  streams_[stream].listener = std::move(listener);
  sandbox_.acknowledgements_.listen(stream);
  return stream;
}

void Streams::send(std::uint32_t stream, const wire::init::Request& request) {
  if (!end_ && !is_deaf_) queue(wire::init::encode(stream, request));
}

void Streams::send(std::uint32_t stream, const wire::file::Request& request) {
  if (!end_ && !is_deaf_) queue(wire::file::encode(stream, request));
}

void Streams::queue(std::string frame) {
  unsent_ += frame.size();
  outgoing_.push_back(std::move(frame));
  flush();
  if (unsent_ > kMostUnsent) is_deaf_ = true;
}

void Streams::flush() {
  while (!outgoing_.empty()) {
    const std::string_view rest = std::string_view(outgoing_.front()).substr(sent_);
    const ssize_t n =
        sys::retry([&] { return ::send(fd(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT); });
    if (n < 0) {
      is_deaf_ = errno != EAGAIN && errno != ENOMEM && errno != ENOBUFS;
      return;
    }
    sent_ += static_cast<std::size_t>(n);
    unsent_ -= static_cast<std::size_t>(n);
    if (sent_ < outgoing_.front().size()) continue;
    outgoing_.pop_front();
    sent_ = 0;
  }
}

void Streams::close(std::uint32_t stream) {
  sandbox_.acknowledgements_.stop(stream);
  streams_.erase(stream);
}

void Streams::kill(std::uint32_t stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  // What it says until its end is taken in, or the end would never come.
  found->second.listener = nullptr;
  send(stream, wire::init::Signal{.number = SIGKILL});
}

Result<> Streams::pump() {
  if (end_) return std::unexpected(*end_);
  BASE_CHECK(!is_pumping_);
  is_pumping_ = true;
  auto exchanged = exchange_messages();
  is_pumping_ = false;
  if (!exchanged) hang_up(exchanged.error());
  return exchanged;
}

void Streams::hang_up(base::Error why) {
  BASE_CHECK(!is_pumping_);
  if (end_) return;
  end_ = std::move(why);
  outgoing_.clear();
  unsent_ = 0;
  while (!streams_.empty()) {
    const auto listener = streams_.begin()->second.listener;
    close(streams_.begin()->first);
    if (listener) listener->cut(*end_);
  }
}

Result<> Streams::exchange_messages() {
  if (!is_deaf_) flush();
  auto received = sandbox_.receive_some();
  RETURN_IF_ERROR(give_out());
  if (!received) return received;
  if (is_deaf_ && !has_input(fd())) {
    return base::fail(Code::kUnavailable, "sandbox " + sandbox_.id() + " takes nothing more");
  }
  return {};
}

Result<> Streams::give_out() {
  while (true) {
    if (const auto due = sandbox_.acknowledgements_.settle()) {
      send(due->stream, due->message);
      sandbox_.acknowledgements_.told(*due);
    }
    ASSIGN_OR_RETURN(const auto frame, sandbox_.frames_.next());
    if (!frame) return {};
    if (wire::file::is_event(frame->type)) {
      RETURN_IF_ERROR(deliver_file(*frame));
      continue;
    }
    ASSIGN_OR_RETURN(const auto message, sandbox_.message_of(*frame));
    const auto* failed = std::get_if<wire::init::Failed>(&message.event);
    // What concerns every stream is that init ends.
    if (failed != nullptr && message.stream == wire::init::kConnection) {
      return std::unexpected(base::with_context("sandbox " + sandbox_.id(), error_of(*failed)));
    }
    deliver(message);
  }
}

// What a file call says after it was given up goes unheard.
Result<> Streams::deliver_file(const wire::Frame& frame) {
  const auto found = streams_.find(frame.stream);
  if (found == streams_.end() || !found->second.listener) return {};
  const auto listener = found->second.listener;  // which may close its own stream
  ASSIGN_OR_RETURN(auto event, wire::file::decode_event(frame));
  if (wire::file::is_end(frame.type)) close(frame.stream);
  listener->hear_file(std::move(event), wire::kFrameHeader + frame.payload.size());
  return {};
}

void Streams::deliver(const Sandbox::Message& message) {
  const auto found = streams_.find(message.stream);
  if (found == streams_.end()) return;
  const auto listener = found->second.listener;  // which may close its own stream
  if (std::holds_alternative<wire::init::Started>(message.event)) found->second.has_started = true;
  const bool has_ended = std::holds_alternative<wire::init::Ended>(message.event);
  const bool never_began =
      std::holds_alternative<wire::init::Failed>(message.event) && !found->second.has_started;
  // Of a sandbox that stays, init keeps the end until it is told that somebody has heard it.
  const auto number = has_ended ? sandbox_.acknowledgements_.end_of(message.stream) : std::nullopt;
  if (number) send(message.stream, wire::init::Acknowledge{.number = *number});
  if (has_ended || never_began) close(message.stream);
  if (listener) listener->hear(message.event);
}

}  // namespace engine
