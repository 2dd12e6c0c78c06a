#include "init/context.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "sys/retry.h"

namespace init {

namespace {
// A runtime that reads nothing of what it is told is not listened to either.
constexpr std::size_t kMostPending = 4 << 20;
// What a socket may hold of what a runtime said before its end, and more.
constexpr std::size_t kLastWords = 1 << 20;
}  // namespace

Result<Context> Context::start(std::uint32_t stream, const wire::init::StartContext& start,
                               Launcher& launcher) {
  ASSIGN_OR_RETURN(auto launched, launcher.launch(start));
  return Context(stream, Record::of(start.argv), std::move(launched));
}

Context::Context(std::uint32_t stream, Record record, Launched launched)
    : record_(std::move(record)),
      launched_(std::move(launched)),
      started_(Clock::now()),
      output_(std::move(launched_.output), std::move(launched_.error)),
      outbox_(stream) {
  // Why it did not get ready is in what it wrote.
  output_.begin_execution(0, wire::init::kMaxMessage);
}

wire::init::Found Context::describe() const {
  using wire::init::State;
  return {.kind = wire::init::Kind::kContext,
          .state = exit_ ? State::kEnded : (execution_ ? State::kBusy : State::kIdle),
          .pid = static_cast<std::uint32_t>(pid()),
          .started_us = record_.started_us,
          .argv = record_.argv,
          .execution = last_,
          .acknowledged = outbox_.acknowledged(),
          .last = outbox_.last(),
          .stdout_bytes = output_.meter().stdout_bytes(),
          .stderr_bytes = output_.meter().stderr_bytes()};
}

void Context::add_polls(std::vector<pollfd>& polls) const {
  if (exit_) return;
  short runtime = 0;
  if (!pending_.empty()) runtime |= POLLOUT;
  if (outbox_.has_room()) {
    output_.add_polls(polls);
    if (pending_.size() < kMostPending) runtime |= POLLIN;
  }
  if (!is_lost_ && runtime != 0) polls.push_back({launched_.runtime.get(), runtime, 0});
}

Result<> Context::execute(const wire::init::Execute& execute, const GaugeMarks& before) {
  if (execution_) {
    return base::fail(base::Code::kConflict,
                      "execution " + std::to_string(execution_->number) + " runs in this context");
  }
  if (execute.number <= last_) {
    return base::fail(base::Code::kInvalid, "executions of a context have rising numbers");
  }
  const auto now = Clock::now();
  execution_ = Execution{.number = execute.number,
                         .started = now,
                         .deadline = Deadline(now, std::chrono::milliseconds(execute.deadline_ms),
                                              std::chrono::milliseconds(execute.grace_ms)),
                         .before = before,
                         .cpu_before = launched_.leaf.cpu_microseconds().value_or(0)};
  last_ = execute.number;
  output_.begin_execution(execute.number, execute.output_cap);
  pending_ += wire::runtime::encode_execute(execute.number, execute.payload);
  return {};
}

Result<> Context::pump(const Gauges& gauges) {
  if (exit_) return conclude(gauges);
  RETURN_IF_ERROR(output_.read_some(outbox_));
  RETURN_IF_ERROR(listen(gauges));
  return write_pending();
}

Result<> Context::write_pending() {
  while (!is_lost_ && !pending_.empty()) {
    const ssize_t n = sys::retry([&] {
      return ::send(launched_.runtime.get(), pending_.data(), pending_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    });
    // Buffers are the sandbox's own memory: when it is short, the execution waits.
    if (n < 0 && (errno == EAGAIN || errno == ENOMEM || errno == ENOBUFS)) return {};
    if (n < 0) return lose();
    pending_.erase(0, static_cast<std::size_t>(n));
  }
  return {};
}

Result<> Context::lose() {
  is_lost_ = true;
  return launched_.leaf.kill_all();
}

Result<> Context::listen(const Gauges& gauges) {
  ASSIGN_OR_RETURN(const bool has_room, hear(gauges));
  if (!has_room || is_lost_ || pending_.size() >= kMostPending) return {};
  // It has closed its channel: there is nothing more to be had from it.
  if (!receive()) return lose();
  RETURN_IF_ERROR(hear(gauges));
  return {};
}

std::optional<std::size_t> Context::receive() {
  std::array<char, wire::kMaxChunk> buffer;
  const ssize_t n = ::recv(launched_.runtime.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (n <= 0) return std::nullopt;
  runtime_.feed({buffer.data(), static_cast<std::size_t>(n)});
  return static_cast<std::size_t>(n);
}

Result<bool> Context::hear(const Gauges& gauges) {
  while (!is_lost_) {
    if (!held_) {
      if (!outbox_.has_room()) return false;
      auto piece = runtime_.next();
      if (!piece) RETURN_IF_ERROR(lose());  // it speaks nonsense
      if (!piece || !*piece) return true;
      held_ = **std::move(piece);
      output_.begin_drain();
    }
    // What was written first is told first.
    ASSIGN_OR_RETURN(const bool drained, output_.drain(outbox_));
    if (!drained) return false;
    RETURN_IF_ERROR(pass_on(*std::exchange(held_, std::nullopt), gauges));
  }
  return true;
}

Result<> Context::pass_on(wire::runtime::Piece piece, const Gauges& gauges) {
  const bool is_end = execution_ && piece.verb == wire::runtime::Verb::kDone &&
                      piece.execution == execution_->number && piece.is_last();
  const bool is_awaited =
      (piece.verb == wire::runtime::Verb::kReady || piece.verb == wire::runtime::Verb::kEvent) &&
      piece.is_last();
  if (is_awaited) pending_ += wire::runtime::encode_seen(piece.execution);
  outbox_.add(wire::init::Said{.piece = std::move(piece)});
  if (!is_end) return {};
  return end_execution({}, base::Cause::kOk, gauges);
}

void Context::deliver_signal(int signal) {
  if (exit_) return;
  if (signal == SIGKILL) {
    (void)launched_.leaf.kill_all();
    return;
  }
  // An idle context has nothing to be interrupted.
  if (!execution_) return;
  execution_->interrupted = true;
  (void)sys::kill(-pid(), signal);
}

std::optional<Clock::time_point> Context::keep_time() {
  if (!execution_ || exit_) return std::nullopt;
  const auto act = execution_->deadline.due(Clock::now());
  if (act == Deadline::Act::kAsk) {
    (void)sys::kill(-pid(), SIGCONT);
    (void)sys::kill(-pid(), SIGINT);
  }
  if (act == Deadline::Act::kKill) (void)launched_.leaf.kill_all();
  return execution_->deadline.next();
}

Result<> Context::end_execution(const sys::ExitStatus& status, base::Cause otherwise, const Gauges& gauges) {
  Facts facts{.status = status,
              .timed_out = execution_->deadline.passed(),
              .interrupted = execution_->interrupted,
              .had_company = had_company_,
              .output_cut = output_.meter().was_cut()};
  RETURN_IF_ERROR(note_limits(gauges, execution_->before, facts));
  wire::init::Executed executed{.execution = execution_->number,
                                .end = {.cause = cause_of_execution(facts, otherwise),
                                        .exit_code = static_cast<std::uint32_t>(status.code),
                                        .signal = static_cast<std::uint32_t>(status.signal),
                                        .limits_hit = limits_hit(facts)}};
  wire::init::Usage& usage = executed.end.usage;
  usage.wall_us = microseconds_between(execution_->started, exit_ ? exited_ : Clock::now());
  usage.cpu_us = launched_.leaf.cpu_microseconds().value_or(0) - execution_->cpu_before;
  ASSIGN_OR_RETURN(usage.peak_memory_bytes, gauges.memory_peak());
  output_.meter().tell(usage);
  outbox_.add(executed);
  execution_.reset();
  return {};
}

Result<> Context::finish(const sys::ExitStatus& status, const Gauges& gauges) {
  // Whatever it started has nobody left to answer to.
  (void)launched_.leaf.kill_all();
  exit_ = status;
  exited_ = Clock::now();
  left_to_hear_ = kLastWords;
  output_.begin_drain();
  return conclude(gauges);
}

// What it said before its end may hold the end of its execution. False: the outbox is full.
Result<bool> Context::hear_last_words(const Gauges& gauges) {
  while (!is_lost_) {
    ASSIGN_OR_RETURN(const bool has_room, hear(gauges));
    if (!has_room) return false;
    if (is_lost_) break;
    // Bounded: another process may have been given the runtime's end.
    const auto size = left_to_hear_ > 0 ? receive() : std::nullopt;
    if (size.value_or(0) == 0) {
      is_lost_ = true;
      output_.begin_drain();
    }
    left_to_hear_ -= std::min(left_to_hear_, size.value_or(0));
  }
  return true;
}

Result<> Context::conclude(const Gauges& gauges) {
  if (is_over_) return {};
  ASSIGN_OR_RETURN(const bool heard, hear_last_words(gauges));
  if (!heard) return {};
  ASSIGN_OR_RETURN(const bool drained, output_.drain(outbox_));
  if (!drained) return {};
  if (execution_) RETURN_IF_ERROR(end_execution(*exit_, base::Cause::kContextLost, gauges));
  wire::init::Ended ended{.cause = exit_->signal != 0 ? base::Cause::kCrashed : base::Cause::kContextLost,
                          .exit_code = static_cast<std::uint32_t>(exit_->code),
                          .signal = static_cast<std::uint32_t>(exit_->signal)};
  ended.usage.wall_us = microseconds_between(started_, exited_);
  ended.usage.cpu_us = launched_.leaf.cpu_microseconds().value_or(0);
  (void)launched_.leaf.remove();
  output_.close();
  outbox_.add(ended);
  is_over_ = true;
  return {};
}

}  // namespace init
