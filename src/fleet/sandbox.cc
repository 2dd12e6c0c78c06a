#include "fleet/sandbox.h"

#include <algorithm>

#include "engine/runtime_environment.h"
#include "engine/used.h"

namespace fleet {

namespace {

using base::Code;
using std::chrono::milliseconds;

// A spawner that does not answer is asked again: what it does not destroy would go on without an owner.
constexpr int kTriesToDestroy = 20;
constexpr milliseconds kBetweenTries{500};
// What is kept of a terminal's.
constexpr std::uint64_t kTerminalOutput = 10 << 20;

void set_earlier(io::Deadline& first, const io::Deadline& other) {
  if (other && (!first || *other < *first)) first = other;
}

io::Deadline from_now(milliseconds time) {
  if (time.count() <= 0) return std::nullopt;
  return io::Clock::now() + time;
}

}  // namespace

Sandbox::Sandbox(const Ground& ground, Wish wish, engine::Sandbox sandbox)
    : ground_(ground),
      wish_(std::move(wish)),
      sandbox_(std::move(sandbox)),
      streams_(sandbox_),
      contexts_(
          streams_, ground.context_limits,
          [this](std::uint32_t stream, wire::spawner::Unready unready, std::function<void(Result<>)> told) {
            wire::spawner::EnterContext request;
            request.sandbox.set(id());
            request.stream = stream;
            request.unready = unready;
            ground_.tasks.spawn("enter sandbox " + id(), enter(shared_from_this(), request, std::move(told)));
          }),
      bell_(ground.loop),
      idleness_(io::Clock::now(), wish_.idle_timeout, ground.usage_interval),
      gone_bell_(ground.loop) {
  expires_ = from_now(wish_.ttl);
}

Result<SandboxPtr> Sandbox::launch(const Ground& ground, Wish wish, engine::Sandbox sandbox, OnEnd on_end) {
  SandboxPtr made(new Sandbox(ground, std::move(wish), std::move(sandbox)));
  ASSIGN_OR_RETURN(made->watch_, io::Watch::on(ground.loop, made->streams_.fd(), made->bell_));
  made->on_end_ = std::move(on_end);
  ground.tasks.spawn("carry sandbox " + made->id(), carry(made));
  return made;
}

io::Task<> Sandbox::carry(SandboxPtr self) {
  while (!self->is_ending_) {
    if (!self->contexts_.pump()) {
      self->begin_end(std::nullopt, wire::spawner::Until::kKilled);
      break;
    }
    self->keep_time();
    self->watch_->want(self->streams_.wanted_events());
    const auto woken = co_await self->bell_.wait(self->next_deadline());
    const bool is_cancelled = !woken && woken.error().code != Code::kTimeout;
    if (is_cancelled) break;
  }
  co_return Result<>();
}

io::Task<> Sandbox::enter(SandboxPtr self, wire::spawner::EnterContext request,
                          std::function<void(Result<>)> told) {
  const auto reply = co_await self->ground_.spawner.call(request);
  told(reply ? Result<>() : Result<>(std::unexpected(reply.error())));
  self->nudge();
  co_return Result<>();
}

void Sandbox::keep_time() {
  const auto now = io::Clock::now();
  for (const RunPtr& run : runs_) {
    // A copy, because it may end now.
    const auto process = run->process_;
    if (process) process->keep_time(now);
  }
}

io::Deadline Sandbox::next_deadline() const {
  io::Deadline first = contexts_.deadline();
  for (const RunPtr& run : runs_) {
    if (run->process_) set_earlier(first, run->process_->deadline());
  }
  return first;
}

void Sandbox::begin_end(std::optional<EndCause> cause, wire::spawner::Until until) {
  if (std::exchange(is_ending_, true)) return;
  end_cause_ = cause;
  const std::string how = cause ? " (" + std::string(name_of(*cause)) + ")" : "";
  streams_.hang_up({Code::kUnavailable, "sandbox " + id() + " has ended" + how});
  (void)contexts_.pump();  // who tells all that waits there
  if (cause) explain_runs(wire::spawner::EndedAs::kUnknown);
  watch_.reset();
  nudge();
  ground_.tasks.spawn("end sandbox " + id(), conclude(shared_from_this(), until));
}

io::Task<> Sandbox::conclude(SandboxPtr self, wire::spawner::Until until) {
  Result<wire::spawner::EndedAs> ended_as;
  for (int tries = 0; tries < kTriesToDestroy; ++tries) {
    ended_as = co_await self->ground_.spawner.destroy(self->id(), until);
    if (ended_as) break;
    CO_RETURN_IF_ERROR(co_await self->ground_.loop.sleep_until(io::Clock::now() + kBetweenTries));
  }
  const auto known = ended_as.value_or(wire::spawner::EndedAs::kUnknown);
  if (!self->end_cause_) {
    const bool had_no_memory = known == wire::spawner::EndedAs::kOutOfMemory;
    self->end_cause_ = had_no_memory ? EndCause::kOutOfMemory : EndCause::kFailed;
  }
  self->explain_runs(known);
  self->is_gone_ = true;
  self->gone_bell_.ring();
  self->on_end_(*self);
  if (!ended_as) co_return std::unexpected(ended_as.error());
  co_return Result<>();
}

io::Task<> Sandbox::await_end(SandboxPtr self) {
  while (!self->is_gone_) CO_RETURN_IF_ERROR(co_await self->gone_bell_.wait());
  co_return Result<>();
}

void Sandbox::explain_runs(wire::spawner::EndedAs ended_as) {
  for (const RunPtr& run : runs_) run->explain(ended_as);
}

Result<> Sandbox::check_alive() const {
  if (!is_ending_) return {};
  return base::fail(Code::kUnavailable, "sandbox " + id() + " has ended");
}

std::optional<Sandbox::Time> Sandbox::expires_at() const {
  if (!expires_) return std::nullopt;
  const auto left = *expires_ - io::Clock::now();
  return std::chrono::system_clock::now() + std::chrono::duration_cast<Time::duration>(left);
}

void Sandbox::set_ttl(milliseconds ttl) {
  wish_.ttl = ttl;
  expires_ = from_now(ttl);
  ground_.clock_bell.ring();
}

void Sandbox::set_idle_timeout(milliseconds timeout) {
  wish_.idle_timeout = timeout;
  idleness_.set_timeout(timeout);
  touch();
  ground_.clock_bell.ring();
}

engine::Contexts& Sandbox::contexts() {
  touch();
  nudge();
  return contexts_;
}

Result<engine::ContextId> Sandbox::create_context(const ContextWish& wish) {
  ASSIGN_OR_RETURN(const engine::Language* language, engine::language_by_name(wish.language));
  engine::ContextOptions options{
      .argv = {language->context.begin(), language->context.end()},
      .environment = wish_.environment,
      .cwd = wish.cwd.value_or(wish_.cwd),
      .user = wish_.user,
      .birth = language->has_zygote ? engine::Birth::kZygoteIfReady : engine::Birth::kCold};
  engine::set_variables(options.environment, wish.environment);
  return contexts().create(std::string(language->name), std::move(options));
}

Result<engine::ContextId> Sandbox::default_context(std::string_view language) {
  ASSIGN_OR_RETURN(const engine::Language* known, engine::language_by_name(language));
  const auto found = default_contexts_.find(known->name);
  // Somebody may have removed it.
  if (found != default_contexts_.end() && contexts_.find(found->second)) return found->second;
  ASSIGN_OR_RETURN(auto made, create_context({.language = std::string(known->name)}));
  default_contexts_.insert_or_assign(std::string(known->name), made);
  return made;
}

bool Sandbox::is_default_context(const engine::ContextId& id) const {
  return std::ranges::any_of(default_contexts_, [&](const auto& known) { return known.second == id; });
}

Result<RunPtr> Sandbox::execute(const engine::ContextId& context, engine::Cell cell) {
  RETURN_IF_ERROR(check_alive());
  ASSIGN_OR_RETURN(const auto info, contexts().find(context));
  ASSIGN_OR_RETURN(const engine::Language* language, engine::language_by_name(info.name));
  if (cell.language.empty()) cell.language = language->dialect;
  RunFacts facts{.kind = RunKind::kCell, .language = info.name, .context = context, .timeout = cell.timeout};
  const RunPtr run(new Run(shared_from_this(), std::move(facts), {.output = cell.output_cap}));
  RETURN_IF_ERROR(contexts_.execute(context, cell, run, run->id()));
  return keep(run);
}

engine::Command Sandbox::command(std::vector<std::string> argv) const {
  return {.argv = std::move(argv), .environment = wish_.environment, .cwd = wish_.cwd, .user = wish_.user};
}

Result<RunPtr> Sandbox::start(const engine::Command& command) {
  RETURN_IF_ERROR(check_alive());
  touch();
  RunFacts facts{.kind = RunKind::kCommand,
                 .argv = command.argv,
                 .cwd = command.cwd,
                 .has_input = command.terminal || command.input == wire::init::Stdin::kStream,
                 .has_terminal = command.terminal.has_value(),
                 .timeout = command.timeout};
  // A terminal goes on for ever: whoever comes back to it wants its end.
  const EventLog::Limits limits{.output = command.terminal ? kTerminalOutput : command.output_cap,
                                .keep = command.terminal ? EventLog::Keep::kLast : EventLog::Keep::kFirst};
  const RunPtr run(new Run(shared_from_this(), std::move(facts), limits));
  ASSIGN_OR_RETURN(run->process_,
                   engine::ServedProcess::start(streams_, command, {.id = run->id(), .observer = run}));
  nudge();
  return keep(run);
}

RunPtr Sandbox::keep(RunPtr run) {
  runs_.push_back(run);
  drop_old_runs();
  return run;
}

// The oldest go first, of those that have ended.
void Sandbox::drop_old_runs() {
  const Keeping& keeping = ground_.keeping;
  const auto oldest = io::Clock::now() - keeping.time;
  std::erase_if(runs_, [&](const RunPtr& run) { return run->is_over() && run->ended_on_ < oldest; });
  std::size_t ended = 0;
  std::uint64_t bytes = 0;
  std::size_t memory = 0;
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    if (!(*run)->is_over()) continue;
    ++ended;
    bytes += (*run)->log_.size();
    const bool is_too_much = ended > keeping.runs || bytes > keeping.bytes;
    if (is_too_much && ended > 1) {
      (*run)->is_dropped_ = true;
      continue;
    }
    if (memory + (*run)->log_.memory() > keeping.memory) (*run)->log_.spill();
    memory += (*run)->log_.memory();
  }
  std::erase_if(runs_, [](const RunPtr& run) { return run->is_dropped_; });
}

Result<RunPtr> Sandbox::find(const engine::ExecutionId& id) {
  drop_old_runs();
  touch();
  const auto found = std::ranges::find(runs_, id, [](const RunPtr& run) { return run->id(); });
  if (found != runs_.end()) return *found;
  return base::fail(Code::kNotFound, "sandbox " + this->id() + " has no execution " + id.text() +
                                         "; results are kept for a while only");
}

const std::vector<RunPtr>& Sandbox::runs() {
  drop_old_runs();
  touch();
  return runs_;
}

// An execution that runs or waits, a stream that somebody has open, a file call: none of these is idle. A
// process that merely lives may be, as may what a context has left behind.
Idleness::Activity Sandbox::activity() const {
  const bool is_busy = file_calls_ > 0 || std::ranges::any_of(runs_, [](const RunPtr& run) {
                         if (run->readers_ > 0) return true;
                         return !run->is_over() && run->facts().kind == RunKind::kCell;
                       });
  return is_busy ? Idleness::Activity::kBusy : Idleness::Activity::kQuiet;
}

std::optional<EndCause> Sandbox::look_at_time(io::Clock::time_point now) {
  if (expires_ && now >= *expires_) return EndCause::kExpired;
  const auto verdict = idleness_.look(now, activity());
  if (verdict == Idleness::Verdict::kIdle) return EndCause::kIdle;
  if (verdict == Idleness::Verdict::kAskUsed) {
    ask_used();
    drop_old_runs();
  }
  return std::nullopt;
}

io::Deadline Sandbox::next_look() const {
  io::Deadline first = idleness_.next_look();
  set_earlier(first, expires_);
  return first;
}

void Sandbox::ask_used() {
  engine::ask_used(streams_, [weak = weak_from_this()](std::chrono::microseconds used) {
    if (const auto self = weak.lock()) self->idleness_.hear_used(io::Clock::now(), used);
  });
  nudge_if_unsent();
}

}  // namespace fleet
