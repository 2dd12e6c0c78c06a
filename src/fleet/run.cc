#include "fleet/run.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "fleet/sandbox.h"

namespace fleet {

namespace {

using base::Cause;
using base::Code;

// What engine::Bundle::parse takes.
std::string notice(std::string_view text) {
  const std::string json = boost::json::serialize(boost::json::object{{"type", "notice"}, {"text", text}});
  return std::to_string(json.size()) + "\n" + json;
}

// As long as a task waits, however that ends.
class Counted {
 public:
  explicit Counted(std::size_t& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::size_t& count_;
};

}  // namespace

Run::Run(const SandboxPtr& sandbox, RunFacts facts, EventLog::Limits limits)
    : facts_(std::move(facts)),
      sandbox_(sandbox),
      log_(sandbox->ground_.spools, limits),
      bell_(sandbox->ground_.loop) {}

RunState Run::state() const {
  if (ending_) return RunState::kEnded;
  return started_ ? RunState::kRunning : RunState::kWaiting;
}

std::optional<std::uint32_t> Run::pid() const { return process_ ? process_->pid() : std::nullopt; }

void Run::started(const engine::ExecutionId&) {
  started_ = std::chrono::system_clock::now();
  log_.add(EventKind::kStarted);
  bell_.ring();
}

Result<> Run::output(wire::init::Channel channel, std::string_view bytes) {
  const bool is_out = channel == wire::init::Channel::kStdout;
  (is_out ? written_.out : written_.error) += bytes.size();
  log_.add_output(is_out ? EventKind::kStdout : EventKind::kStderr, bytes);
  bell_.ring();
  return {};
}

Result<> Run::event(const engine::Bundle& bundle) {
  const auto* type = bundle.head().if_contains("type");
  const auto kind = type != nullptr && type->is_string() ? rich_kind(type->get_string()) : std::nullopt;
  if (!kind) return {};
  if (!log_.add_rich(*kind, bundle.payload()) && !std::exchange(has_lost_results_, true)) {
    log_.add(EventKind::kNotice, notice("there are more results than are kept; write them to files"));
  }
  bell_.ring();
  return {};
}

void Run::ended(const engine::Ending& ending) {
  if (ending_ || unexplained_) return;
  // Only the spawner may know why.
  if (ending.outcome.cause == Cause::kSandboxEnded) {
    unexplained_ = ending;
  } else {
    finish(ending);
  }
}

void Run::explain(wire::spawner::EndedAs ended_as) {
  if (ending_ || !unexplained_) return;
  engine::Ending ending = *std::move(unexplained_);
  ending.outcome = engine::explained(ending.outcome, ended_as);
  finish(std::move(ending));
}

void Run::finish(engine::Ending ending) {
  // init has counted what it did not pass on, too.
  written_.out = std::max(written_.out, ending.outcome.usage.stdout_bytes);
  written_.error = std::max(written_.error, ending.outcome.usage.stderr_bytes);
  auto& dropped = ending.outcome.usage.dropped_bytes;
  dropped += log_.dropped();
  if (dropped > 0) {
    ending.outcome.limits_hit |= base::bit(base::Limit::kOutput);
    log_.add(EventKind::kNotice, notice("output was cut: " + std::to_string(dropped) +
                                        " bytes more were written than are kept; write them to a file"));
  }
  log_.add(EventKind::kEnded);
  ended_ = std::chrono::system_clock::now();
  ended_on_ = io::Clock::now();
  ending_ = std::move(ending);
  bell_.ring();
  if (const auto sandbox = sandbox_.lock()) sandbox->touch();
}

// Coroutines keep the run alive by themselves: its sandbox may drop it while they wait.
io::Task<std::vector<Event>> Run::read_after(RunPtr run, From from, io::Deadline until) {
  const Counted reader(run->readers_);
  while (run->log_.last() <= from.number && !run->ending_) {
    const auto woken = co_await run->bell_.wait(until);
    if (!woken && woken.error().code == Code::kTimeout) break;
    CO_RETURN_IF_ERROR(woken);
  }
  co_return run->log_.after(from.number, from.most_bytes);
}

io::Task<std::vector<Event>> Run::after(std::uint64_t number, std::size_t most_bytes, io::Deadline until) {
  return read_after(shared_from_this(), {.number = number, .most_bytes = most_bytes}, until);
}

io::Task<engine::Ending> Run::await_end(RunPtr run, io::Deadline until) {
  const Counted reader(run->readers_);
  while (!run->ending_) CO_RETURN_IF_ERROR(co_await run->bell_.wait(until));
  co_return *run->ending_;
}

io::Task<engine::Ending> Run::wait(io::Deadline until) { return await_end(shared_from_this(), until); }

Result<SandboxPtr> Run::controlled(std::string_view what) const {
  auto sandbox = sandbox_.lock();
  if (is_over() || unexplained_ || !sandbox) {
    return base::fail(Code::kConflict,
                      "execution " + id().text() + " has ended; there is nothing to " + std::string(what));
  }
  sandbox->touch();
  sandbox->nudge();
  return sandbox;
}

Result<SandboxPtr> Run::controlled_process(std::string_view what) const {
  ASSIGN_OR_RETURN(auto sandbox, controlled(what));
  if (process_) return sandbox;
  return base::fail(Code::kConflict, "execution " + id().text() + " is a cell of a context: interrupt that");
}

Result<> Run::cancel() {
  ASSIGN_OR_RETURN(const auto sandbox, controlled("cancel"));
  if (!process_) return sandbox->contexts_.cancel(id());
  process_->cancel();
  return {};
}

Result<> Run::signal(int number) {
  if (number < 1 || number > 64) {
    return base::fail(Code::kInvalid, "there is no signal " + std::to_string(number) + "; 1 to 64 are");
  }
  RETURN_IF_ERROR(controlled_process("signal"));
  process_->signal(number);
  return {};
}

Result<> Run::resize(wire::init::Window window) {
  RETURN_IF_ERROR(controlled_process("resize"));
  if (!facts_.has_terminal) return base::fail(Code::kConflict, "process " + id().text() + " has no terminal");
  process_->resize(window);
  return {};
}

Result<> Run::controlled_input() const {
  RETURN_IF_ERROR(controlled_process("write to"));
  if (process_->has_input()) return {};
  return base::fail(Code::kConflict, "the input of process " + id().text() + " is closed");
}

io::Task<> Run::put(RunPtr run, std::string bytes, io::Deadline until) {
  std::string_view rest = bytes;
  while (!rest.empty()) {
    CO_RETURN_IF_ERROR(run->controlled_input());
    const std::string_view piece = rest.substr(0, run->process_->input_room());
    if (piece.empty()) {
      CO_RETURN_IF_ERROR(co_await run->bell_.wait(until));
      continue;
    }
    rest.remove_prefix(piece.size());
    run->process_->give_input(std::string(piece));
  }
  co_return Result<>();
}

io::Task<> Run::input(std::string bytes, io::Deadline until) {
  return put(shared_from_this(), std::move(bytes), until);
}

Result<> Run::close_input() {
  RETURN_IF_ERROR(controlled_input());
  process_->give_input({});
  return {};
}

}  // namespace fleet
