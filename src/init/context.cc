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
}  // namespace

Result<Context> Context::start(std::uint32_t stream, const wire::init::StartContext& start,
                               Launcher& launcher) {
  ASSIGN_OR_RETURN(auto launched, launcher.launch(start));
  return Context(stream, std::move(launched));
}

Context::Context(std::uint32_t stream, Launched launched)
    : stream_(stream), launched_(std::move(launched)), started_(Clock::now()) {}

void Context::add_polls(std::vector<pollfd>& polls, bool room_for_output) const {
  short runtime = 0;
  if (!pending_.empty()) runtime |= POLLOUT;
  if (room_for_output && pending_.size() < kMostPending) runtime |= POLLIN;
  if (room_for_output) {
    if (launched_.output) polls.push_back({launched_.output.get(), POLLIN, 0});
    if (launched_.error) polls.push_back({launched_.error.get(), POLLIN, 0});
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
  meter_ = OutputMeter(execute.output_cap);
  pending_ += wire::runtime::encode_execute(execute.number, execute.payload);
  return {};
}

Result<> Context::pump(Channel& channel, const Gauges& gauges) {
  if (channel.has_room()) {
    RETURN_IF_ERROR(pump_output(launched_.output, wire::init::Channel::kStdout, channel));
    RETURN_IF_ERROR(pump_output(launched_.error, wire::init::Channel::kStderr, channel));
  }
  if (channel.has_room()) RETURN_IF_ERROR(listen(channel, gauges));
  return write_pending();
}

Result<> Context::write_pending() {
  while (!is_lost_ && !pending_.empty()) {
    const ssize_t n = sys::retry([&] {
      return ::send(launched_.runtime.get(), pending_.data(), pending_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    });
    // Buffers are the sandbox's own memory: when it is short, the execution waits.
    if (n < 0 && (errno == EAGAIN || errno == ENOMEM || errno == ENOBUFS)) return {};
    if (n < 0) {
      is_lost_ = true;
      return launched_.leaf.kill_all();
    }
    pending_.erase(0, static_cast<std::size_t>(n));
  }
  return {};
}

Result<std::size_t> Context::pump_output(sys::UniqueFd& pipe, wire::init::Channel which, Channel& channel) {
  ASSIGN_OR_RETURN(auto written, read_output(pipe, which, meter_));
  if (!written.kept.bytes.empty()) {
    channel.send(stream_, wire::init::Wrote{.execution = last_, .output = std::move(written.kept)});
  }
  return written.size;
}

// Bounded: whoever goes on writing does not keep us longer than what a pipe can hold.
Result<> Context::drain(Channel& channel) {
  using wire::init::Channel::kStderr;
  using wire::init::Channel::kStdout;
  for (std::size_t moved = 0; moved < kLargestPipe;) {
    ASSIGN_OR_RETURN(const auto out, pump_output(launched_.output, kStdout, channel));
    ASSIGN_OR_RETURN(const auto err, pump_output(launched_.error, kStderr, channel));
    if (out + err == 0) return {};
    moved += out + err;
  }
  return {};
}

Result<> Context::listen(Channel& channel, const Gauges& gauges) {
  if (is_lost_ || pending_.size() >= kMostPending) return {};
  std::array<char, wire::kMaxChunk> buffer;
  const ssize_t n = ::recv(launched_.runtime.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  if (n > 0) {
    runtime_.feed({buffer.data(), static_cast<std::size_t>(n)});
    while (true) {
      auto piece = runtime_.next();
      if (!piece) break;
      if (!*piece) return {};
      RETURN_IF_ERROR(pass_on(**std::move(piece), channel, gauges));
    }
  }
  // It has closed its channel, or speaks nonsense: there is nothing more to be had from it.
  is_lost_ = true;
  return launched_.leaf.kill_all();
}

Result<> Context::pass_on(wire::runtime::Piece piece, Channel& channel, const Gauges& gauges) {
  // What was written first is told first.
  RETURN_IF_ERROR(drain(channel));
  const bool is_end = execution_ && piece.verb == wire::runtime::Verb::kDone &&
                      piece.execution == execution_->number && piece.is_last();
  const bool is_awaited =
      (piece.verb == wire::runtime::Verb::kReady || piece.verb == wire::runtime::Verb::kEvent) &&
      piece.is_last();
  if (is_awaited) pending_ += wire::runtime::encode_seen(piece.execution);
  channel.send(stream_, wire::init::Said{.piece = std::move(piece)});
  if (!is_end) return {};
  return end_execution({}, base::Cause::kOk, channel, gauges);
}

void Context::deliver_signal(int signal) {
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
  if (!execution_) return std::nullopt;
  const auto act = execution_->deadline.due(Clock::now());
  if (act == Deadline::Act::kAsk) {
    (void)sys::kill(-pid(), SIGCONT);
    (void)sys::kill(-pid(), SIGINT);
  }
  if (act == Deadline::Act::kKill) (void)launched_.leaf.kill_all();
  return execution_->deadline.next();
}

Result<> Context::end_execution(const sys::ExitStatus& status, base::Cause otherwise, Channel& channel,
                                const Gauges& gauges) {
  Facts facts{.status = status,
              .timed_out = execution_->deadline.passed(),
              .interrupted = execution_->interrupted,
              .had_company = had_company_,
              .output_cut = meter_.was_cut()};
  ASSIGN_OR_RETURN(facts.out_of_memory, gauges.out_of_memory(execution_->before));
  ASSIGN_OR_RETURN(facts.pids_exhausted, gauges.pids_exhausted(execution_->before));
  ASSIGN_OR_RETURN(facts.disk_full, disk_is_full());
  wire::init::Executed executed{.execution = execution_->number,
                                .end = {.cause = cause_of_execution(facts, otherwise),
                                        .exit_code = static_cast<std::uint32_t>(status.code),
                                        .signal = static_cast<std::uint32_t>(status.signal),
                                        .limits_hit = limits_hit(facts)}};
  wire::init::Usage& usage = executed.end.usage;
  usage.wall_us = microseconds_since(execution_->started);
  usage.cpu_us = launched_.leaf.cpu_microseconds().value_or(0) - execution_->cpu_before;
  ASSIGN_OR_RETURN(usage.peak_memory_bytes, gauges.memory_peak());
  meter_.tell(usage);
  channel.send(stream_, executed);
  execution_.reset();
  return {};
}

Result<wire::init::Ended> Context::finish(const sys::ExitStatus& status, const Gauges& gauges,
                                          Channel& channel) {
  // Whatever it started has nobody left to answer to.
  (void)launched_.leaf.kill_all();
  // What it said before its end may hold the end of its execution.
  if (!is_lost_) RETURN_IF_ERROR(listen(channel, gauges));
  RETURN_IF_ERROR(drain(channel));
  if (execution_) RETURN_IF_ERROR(end_execution(status, base::Cause::kContextLost, channel, gauges));
  wire::init::Ended ended{.cause = status.signal != 0 ? base::Cause::kCrashed : base::Cause::kContextLost,
                          .exit_code = static_cast<std::uint32_t>(status.code),
                          .signal = static_cast<std::uint32_t>(status.signal)};
  ended.usage.wall_us = microseconds_since(started_);
  ended.usage.cpu_us = launched_.leaf.cpu_microseconds().value_or(0);
  (void)launched_.leaf.remove();
  return ended;
}

}  // namespace init
