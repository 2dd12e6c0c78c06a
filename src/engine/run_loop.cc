#include "engine/run_loop.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "sys/retry.h"

namespace engine {

void RunLoop::go_on(Offsets from, const wire::init::Found& found) {
  have_ = from;
  input_under_way_ = found.input_received - found.input_taken;
}

Result<Outcome> RunLoop::run() {
  while (true) {
    ASSIGN_OR_RETURN(const auto message, sandbox_.next());
    if (!message) {
      if (auto more = wait(); !more) {
        // The sandbox itself is gone: a way for a run to end like any other.
        if (more.error().code == base::Code::kUnavailable) return Outcome{};
        return std::unexpected(std::move(more).error());
      }
      continue;
    }
    if (!message->concerns(stream_)) continue;
    ASSIGN_OR_RETURN(auto outcome, handle(message->event));
    if (outcome) return *outcome;
  }
}

Result<> RunLoop::wait() {
  const bool window_open = input_open_ && input_under_way_ + wire::kMaxChunk <= wire::init::kInputWindow;
  std::array<pollfd, 3> polls{pollfd{sandbox_.socket_.get(), POLLIN, 0},
                              pollfd{observer_.interrupt_fd(), POLLIN, 0},
                              pollfd{window_open ? observer_.input_fd() : -1, POLLIN, 0}};
  if (::poll(polls.data(), polls.size(), -1) < 0 && errno != EINTR) return base::failed_call("poll");
  if (polls[1].revents != 0) RETURN_IF_ERROR(pass_interrupt());
  if (polls[2].revents != 0) RETURN_IF_ERROR(pass_input());
  return polls[0].revents != 0 ? sandbox_.receive_some() : Result<>();
}

Result<> RunLoop::pass_input() {
  std::string bytes(wire::kMaxChunk, '\0');
  const ssize_t n = sys::retry([&] { return ::read(observer_.input_fd(), bytes.data(), bytes.size()); });
  if (n < 0 && errno == EAGAIN) return {};
  bytes.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  if (bytes.empty()) input_open_ = false;
  input_under_way_ += bytes.size();
  return sandbox_.send(stream_, wire::init::Input{.bytes = std::move(bytes)});
}

// Every byte once, whatever init says: what is had already is left out, and nothing may be missing.
Result<> RunLoop::pass_output(const wire::init::Output& output) {
  std::uint64_t& have = output.channel == wire::init::Channel::kStdout ? have_.out : have_.error;
  if (output.offset > have) {
    return base::fail(base::Code::kInternal, "output of process " + std::to_string(stream_) +
                                                 " is lost: byte " + std::to_string(have) +
                                                 " was wanted, and " + std::to_string(output.offset) +
                                                 " came");
  }
  const std::uint64_t known = have - output.offset;
  if (known >= output.bytes.size()) return {};
  have = output.offset + output.bytes.size();
  return observer_.output(output.channel, std::string_view(output.bytes).substr(known));
}

Result<> RunLoop::pass_interrupt() {
  const int signal = observer_.take_interrupt();
  if (signal == 0) return {};
  const auto window = signal == SIGWINCH ? observer_.window() : std::nullopt;
  if (window) return sandbox_.send(stream_, wire::init::Resize{.window = *window});
  return sandbox_.send(stream_, wire::init::Signal{.number = static_cast<std::uint32_t>(signal)});
}

Result<std::optional<Outcome>> RunLoop::handle(const wire::init::Event& event) {
  if (const auto* output = std::get_if<wire::init::Output>(&event)) {
    RETURN_IF_ERROR(pass_output(*output));
  } else if (const auto* taken = std::get_if<wire::init::InputTaken>(&event)) {
    input_under_way_ -= std::min<std::size_t>(input_under_way_, taken->bytes);
  } else if (const auto* failed = std::get_if<wire::init::Failed>(&event)) {
    return std::unexpected(error_of(*failed));
  } else if (const auto* ended = std::get_if<wire::init::Ended>(&event)) {
    return std::optional(outcome_of(*ended));
  }
  return std::optional<Outcome>();
}

}  // namespace engine
