#include "engine/served_context.h"

#include <signal.h>

#include <algorithm>

#include "engine/notice.h"

namespace engine {

namespace {

using base::Cause;
using base::Code;
using wire::runtime::Verb;

constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24 * 365);

std::chrono::milliseconds duration_of(std::uint64_t ms) {
  return std::chrono::milliseconds(std::min<std::uint64_t>(ms, kLongest.count()));
}

}  // namespace

wire::init::StartContext start_request(const ContextOptions& options) {
  return {.argv = options.argv, .environment = options.environment, .cwd = options.cwd, .user = options.user};
}

ContextInfo ServedContext::describe() const {
  const bool has_process = stream_ || wants_process_ || !waiting_.is_empty();
  ContextState state = ContextState::kIdle;
  if (running_) state = ContextState::kBusy;
  if (!is_ready_) state = has_process ? ContextState::kStarting : ContextState::kLost;
  return {.id = identity_.id,
          .name = identity_.name,
          .cwd = options_.cwd,
          .state = state,
          .waiting = waiting_.size(),
          .executions = executions_,
          .created = identity_.created};
}

Result<ExecutionId> ServedContext::add(Job job) {
  ExecutionId id = job.id;
  auto added = waiting_.add(std::move(job));
  if (!added) return std::unexpected(base::with_context("context " + identity_.id.text(), added.error()));
  advance();
  return id;
}

void ServedContext::advance() {
  if (streams_.end() || !streams_.has_room()) return;
  if (!stream_) {
    if (wants_process_ || !waiting_.is_empty()) start();
    return;
  }
  if (!is_ready_ || running_ || waiting_.is_empty()) return;
  begin(waiting_.take_first());
}

void ServedContext::start() {
  const bool may_be_born =
      midwife_ && options_.birth != Birth::kCold && options_.user == wire::init::User::kUser;
  if (!may_be_born) return start_cold();
  wants_process_ = false;
  start_errors_.clear();
  origin_ = Origin::kExpected;
  stream_ = streams_.open(shared_from_this());
  set_timer(limits_.start, Act::kGiveUp);
  streams_.send(*stream_,
                wire::init::ExpectContext{.environment = options_.environment, .cwd = options_.cwd});
}

void ServedContext::start_cold() {
  wants_process_ = false;
  start_errors_.clear();
  origin_ = Origin::kCold;
  stream_ = streams_.open(shared_from_this());
  set_timer(limits_.start, Act::kGiveUp);
  streams_.send(*stream_, start_request(options_));
}

// init expects it.
void ServedContext::be_born() {
  origin_ = Origin::kEntering;
  const auto unready =
      options_.birth == Birth::kZygote ? wire::spawner::Unready::kWait : wire::spawner::Unready::kRefuse;
  midwife_(*stream_, unready, [context = weak_from_this(), stream = *stream_](const Result<>& entered) {
    if (const auto self = context.lock()) self->hear_midwife(stream, entered);
  });
}

void ServedContext::hear_midwife(std::uint32_t stream, const Result<>& entered) {
  if (entered || streams_.end()) return;
  // Whoever comes after all is not wanted, and nothing more is to be heard of it.
  streams_.send(stream, wire::init::Signal{.number = SIGKILL});
  streams_.close(stream);
  if (stream_ != stream || is_ready_) return;
  drop_process(has_state_);
  if (options_.birth == Birth::kZygoteIfReady || entered.error().code == Code::kUnsupported) {
    return start_cold();
  }
  fail_start(entered.error());
}

void ServedContext::begin(Job job) {
  job.request.number = ++number_;
  if (++job.begun == 1) ++executions_;
  streams_.send(*stream_, job.request);
  const auto& request = job.request;
  if (request.deadline_ms > 0) {
    set_timer(duration_of(request.deadline_ms) + duration_of(request.grace_ms) + limits_.slack, Act::kKill);
  }
  // A copy, because the observer may end it.
  const auto running = std::make_shared<Running>(
      Running{.job = std::move(job), .heard = Execution(number_), .had_state = has_state_});
  running_ = running;
  tell_begin(*running);
}

void ServedContext::tell_begin(const Running& running) {
  const bool runs = running.job.purpose == Purpose::kRun;
  has_state_ = has_state_ || runs;
  const auto observer = running.job.observer;
  if (running.job.begun == 1) observer->started(running.job.id);
  // A check leaves the notice to the next that runs.
  if (!runs || running_.get() != &running || !std::exchange(owes_notice_, false)) return;
  heed(running, tell_of_loss(*observer));
}

void ServedContext::hear(const wire::init::Event& event) {
  if (!is_ready_) return hear_start(event);
  if (const auto* executed = std::get_if<wire::init::Executed>(&event)) return hear_executed(*executed);
  if (std::holds_alternative<wire::init::Ended>(event)) return hear_end();
  if (running_ && !running_->outcome) hear_running(event);
}

void ServedContext::hear_start(const wire::init::Event& event) {
  if (const auto* wrote = std::get_if<wire::init::Wrote>(&event)) {
    const std::size_t room =
        wire::init::kMaxMessage - std::min(wire::init::kMaxMessage, start_errors_.size());
    start_errors_ += wrote->output.bytes.substr(0, room);
  }
  if (const auto* failed = std::get_if<wire::init::Failed>(&event)) return fail_start(error_of(*failed));
  if (std::holds_alternative<wire::init::Ended>(event)) return hear_early_end();
  if (origin_ == Origin::kExpected && std::holds_alternative<wire::init::Done>(event)) return be_born();
  const auto* said = std::get_if<wire::init::Said>(&event);
  if (said == nullptr || said->piece.verb != Verb::kReady || !said->piece.is_last()) return;
  is_ready_ = true;
  timer_.reset();
  advance();
}

void ServedContext::hear_early_end() {
  const bool had_waited = origin_ == Origin::kExpected;
  drop_process(has_state_);
  // One that had waited may have ended meanwhile: memory was short, or somebody killed it.
  if (had_waited) return start_cold();
  fail_start({Code::kUnavailable, "the runtime ended before it was ready: " + start_errors_});
}

// Whoever comes later tries again.
void ServedContext::fail_start(base::Error why) {
  kill_process();
  why = base::with_context("context " + identity_.id.text() + " (" + identity_.name + ") cannot be started",
                           std::move(why));
  end_all(take_all(), {.outcome = {.cause = Cause::kContextLost}, .error = std::move(why)});
}

void ServedContext::hear_running(const wire::init::Event& event) {
  // Both may be let go of by the observer itself.
  const auto running = running_;
  const auto observer = running->job.observer;
  if (const auto* failed = std::get_if<wire::init::Failed>(&event)) {
    // What it does now is anybody's guess.
    kill_process();
    return finish({.cause = Cause::kContextLost}, error_of(*failed));
  }
  if (!running->is_watched) return;
  const auto* wrote = std::get_if<wire::init::Wrote>(&event);
  // What is written after an execution has ended, and before the next has begun, goes unheard.
  if (wrote != nullptr && wrote->execution == number_) {
    heed(*running, observer->output(wrote->output.channel, wrote->output.bytes));
  }
  if (const auto* said = std::get_if<wire::init::Said>(&event)) {
    heed(*running, running->heard.hear(said->piece, *observer));
  }
}

void ServedContext::heed(const Running& running, const Result<>& answer) {
  if (answer || running_.get() != &running) return;
  running_->is_watched = false;
  cancel_running();
}

void ServedContext::hear_executed(const wire::init::Executed& executed) {
  if (!running_ || running_->outcome || executed.execution != number_) return;
  const Outcome outcome = running_->heard.outcome_of(executed.end);
  const bool lives = outcome.signal == 0 && outcome.cause != Cause::kContextLost;
  if (lives) return finish(outcome);
  running_->outcome = outcome;
  set_timer(limits_.last_words, Act::kGiveUp);
}

void ServedContext::hear_end() {
  const auto running = running_;
  // init tells the end of everything that it has given to the process: this one never got there.
  const bool never_ran = running && !running->outcome && !running->is_cancelled && running->job.begun == 1;
  drop_process(never_ran ? running->had_state : has_state_);
  if (never_ran) {
    running_.reset();
    waiting_.add_first(std::move(running->job));
  }
  if (!running_) return advance();
  finish(running_->outcome.value_or(Outcome{.cause = Cause::kContextLost}));
}

Outcome ServedContext::judged(const Running& running, Outcome outcome) {
  const bool was_ended = outcome.cause == Cause::kInterrupted || outcome.cause == Cause::kContextLost ||
                         (outcome.cause == Cause::kCrashed && outcome.signal == SIGKILL);
  if (!was_ended) return outcome;
  if (running.is_cancelled) outcome.cause = Cause::kCancelled;
  if (running.is_overdue) {
    outcome.cause = Cause::kTimeout;
    outcome.limits_hit |= base::bit(base::Limit::kTime);
  }
  return outcome;
}

void ServedContext::finish(Outcome outcome, std::optional<base::Error> error) {
  const auto done = std::exchange(running_, nullptr);
  timer_.reset();
  done->job.observer->ended({.outcome = judged(*done, outcome), .error = std::move(error)});
  advance();
}

bool ServedContext::cancel(const ExecutionId& execution) {
  if (running_ && running_->job.id == execution) {
    cancel_running();
    return true;
  }
  const auto job = waiting_.take(execution);
  if (!job) return false;
  job->observer->ended({.outcome = {.cause = Cause::kCancelled}});
  return true;
}

void ServedContext::cancel_running() {
  if (running_->is_cancelled || running_->is_overdue || running_->outcome) return;
  running_->is_cancelled = true;
  signal(SIGINT);
  const auto when = Clock::now() + duration_of(running_->job.request.grace_ms);
  if (!timer_ || when < timer_->when) timer_ = {when, Act::kKill};
}

void ServedContext::signal(int number) {
  streams_.send(*stream_, wire::init::Signal{.number = static_cast<std::uint32_t>(number)});
}

void ServedContext::interrupt() {
  if (running_ && !running_->outcome) signal(SIGINT);
}

void ServedContext::drop_process(bool had_state) {
  stream_.reset();
  is_ready_ = has_state_ = false;
  number_ = 0;
  timer_.reset();
  owes_notice_ = owes_notice_ || had_state;
}

void ServedContext::kill_process() {
  if (stream_) streams_.kill(*stream_);
  drop_process(has_state_);
}

void ServedContext::restart() {
  const auto jobs = take_all();
  kill_process();
  owes_notice_ = false;
  wants_process_ = true;
  advance();
  end_all(jobs, {.outcome = {.cause = Cause::kCancelled}});
}

void ServedContext::remove() {
  const auto jobs = take_all();
  kill_process();
  wants_process_ = false;
  end_all(jobs, {.outcome = {.cause = Cause::kCancelled}});
}

void ServedContext::leave() {
  if (stream_) streams_.close(*stream_);
}

void ServedContext::lose(const base::Error& why) {
  if (running_ && running_->outcome) finish(*running_->outcome);
  const auto jobs = take_all();
  drop_process(has_state_);
  wants_process_ = false;
  end_all(jobs, {.outcome = {.cause = Cause::kSandboxEnded}, .error = why});
}

std::vector<Job> ServedContext::take_all() {
  std::vector<Job> jobs = waiting_.take_all();
  if (const auto running = std::exchange(running_, nullptr)) {
    jobs.insert(jobs.begin(), std::move(running->job));
  }
  return jobs;
}

void ServedContext::end_all(const std::vector<Job>& jobs, const Ending& ending) {
  for (const Job& job : jobs) job.observer->ended(ending);
}

std::optional<ServedContext::Clock::time_point> ServedContext::deadline() const {
  return timer_ ? std::optional(timer_->when) : std::nullopt;
}

void ServedContext::keep_time(Clock::time_point now) {
  if (!timer_ || now < timer_->when) return;
  const Act act = std::exchange(timer_, std::nullopt)->act;
  if (act == Act::kKill) {
    running_->is_overdue = !running_->is_cancelled;
    signal(SIGKILL);
    return set_timer(limits_.last_words, Act::kGiveUp);
  }
  if (!is_ready_) {
    return fail_start({Code::kTimeout, "its runtime was not ready after " +
                                           std::to_string(limits_.start.count()) + " ms; " + start_errors_});
  }
  kill_process();
  if (running_->outcome) return finish(*running_->outcome);
  finish({.cause = Cause::kContextLost},
         base::Error{Code::kTimeout, "the sandbox did not tell how the execution ended"});
}

}  // namespace engine
