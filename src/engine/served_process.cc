#include "engine/served_process.h"

#include <signal.h>

#include <algorithm>

namespace engine {

namespace {

using base::Cause;
using base::Code;

constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24 * 365);
// As a shell would have it.
constexpr int kNotFound = 127;
constexpr int kCannotExecute = 126;

Ending never_began(const wire::init::Failed& failed) {
  const int code = static_cast<Code>(failed.code) == Code::kNotFound ? kNotFound : kCannotExecute;
  return {.outcome = {.cause = Cause::kError, .exit_code = code}, .error = error_of(failed)};
}

}  // namespace

ServedProcess::ServedProcess(Key, Streams& streams, const Command& command, Watched watched)
    : streams_(streams),
      id_(std::move(watched.id)),
      timeout_(std::min(command.timeout, kLongest)),
      grace_(std::min(command.grace, kLongest)),
      has_terminal_(command.terminal.has_value()),
      observer_(std::move(watched.observer)) {
  input_open_ = has_terminal_ || command.input == wire::init::Stdin::kStream;
}

Result<std::shared_ptr<ServedProcess>> ServedProcess::start(Streams& streams, const Command& command,
                                                            Watched watched) {
  const auto request = start_request(command);
  RETURN_IF_ERROR(wire::init::check(request));
  if (streams.end()) return std::unexpected(*streams.end());
  auto process = std::make_shared<ServedProcess>(Key{}, streams, command, std::move(watched));
  process->stream_ = streams.open(process);
  if (process->timeout_.count() > 0) {
    process->timer_ = Clock::now() + process->timeout_ + process->grace_ + kSlack;
  }
  streams.send(process->stream_, request);
  return process;
}

std::size_t ServedProcess::input_room() const {
  if (is_over() || !input_open_ || input_under_way_ >= wire::init::kInputWindow) return 0;
  return std::min(wire::kMaxChunk, wire::init::kInputWindow - input_under_way_);
}

void ServedProcess::give_input(std::string bytes) {
  if (is_over() || !input_open_ || bytes.size() > input_room()) return;
  // A terminal stays open: its end of input is a character.
  if (bytes.empty() && !has_terminal_) input_open_ = false;
  input_under_way_ += bytes.size();
  streams_.send(stream_, wire::init::Input{.bytes = std::move(bytes)});
}

void ServedProcess::signal(int number) {
  if (!is_over()) streams_.send(stream_, wire::init::Signal{.number = static_cast<std::uint32_t>(number)});
}

void ServedProcess::resize(wire::init::Window window) {
  if (!is_over()) streams_.send(stream_, wire::init::Resize{.window = window});
}

void ServedProcess::cancel() {
  if (is_over() || is_cancelled_ || is_killed_) return;
  is_cancelled_ = true;
  signal(SIGTERM);
  signal(SIGCONT);  // a stopped process cannot act on the TERM
  const auto when = Clock::now() + grace_;
  if (!timer_ || when < *timer_) timer_ = when;
}

void ServedProcess::keep_time(Clock::time_point now) {
  if (is_over() || !timer_ || now < *timer_) return;
  timer_ = now + kLastWords;
  if (!std::exchange(is_killed_, true)) return signal(SIGKILL);
  streams_.kill(stream_);
  finish({.outcome = {.cause = is_cancelled_ ? Cause::kCancelled : Cause::kTimeout},
          .error = base::Error{Code::kTimeout, "the sandbox did not tell how the process ended"}});
}

void ServedProcess::hear(const wire::init::Event& event) {
  if (is_over()) return;
  const auto observer = observer_;
  if (const auto* started = std::get_if<wire::init::Started>(&event); started != nullptr && !pid_) {
    pid_ = started->pid;
    return observer->started(id_);
  }
  if (const auto* output = std::get_if<wire::init::Output>(&event)) {
    if (!observer->output(output->channel, output->bytes)) cancel();
  } else if (const auto* taken = std::get_if<wire::init::InputTaken>(&event)) {
    input_under_way_ -= std::min<std::size_t>(input_under_way_, taken->bytes);
    observer->input_taken();
  } else if (const auto* failed = std::get_if<wire::init::Failed>(&event)) {
    // What it does now, if it has begun, is anybody's guess.
    streams_.kill(stream_);
    finish(never_began(*failed));
  } else if (const auto* ended = std::get_if<wire::init::Ended>(&event)) {
    finish({.outcome = judged(outcome_of(*ended))});
  }
}

Outcome ServedProcess::judged(Outcome outcome) const {
  const bool was_ended = outcome.cause == Cause::kInterrupted || outcome.cause == Cause::kCrashed ||
                         outcome.cause == Cause::kError;
  if (was_ended && is_cancelled_) outcome.cause = Cause::kCancelled;
  if (was_ended && is_killed_ && !is_cancelled_) {
    outcome.cause = Cause::kTimeout;
    outcome.limits_hit |= base::bit(base::Limit::kTime);
  }
  return outcome;
}

void ServedProcess::cut(const base::Error& why) {
  if (!is_over()) finish({.outcome = {.cause = Cause::kSandboxEnded}, .error = why});
}

void ServedProcess::finish(const Ending& ending) {
  timer_.reset();
  const auto observer = std::exchange(observer_, nullptr);
  observer->ended(ending);
}

}  // namespace engine
