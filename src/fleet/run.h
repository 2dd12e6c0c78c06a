#pragma once

#include <chrono>

#include "engine/execution_observer.h"
#include "engine/served_process.h"
#include "fleet/event_log.h"
#include "io/bell.h"

namespace fleet {

class Sandbox;
using SandboxPtr = std::shared_ptr<Sandbox>;
class Run;
using RunPtr = std::shared_ptr<Run>;

enum class RunKind : std::uint8_t { kCell, kCommand };
enum class RunState : std::uint8_t { kWaiting, kRunning, kEnded };

// What is known of a run from its beginning.
struct RunFacts {
  engine::ExecutionId id = engine::ExecutionId::random();
  RunKind kind = RunKind::kCommand;
  std::vector<std::string> argv;             // of a command
  std::string language;                      // of a cell
  std::optional<engine::ContextId> context;  // of a cell
  std::string cwd;                           // of a command
  bool has_input = false;                    // of a command: its stdin is a stream
  bool has_terminal = false;
  std::chrono::milliseconds timeout{0};  // 0: none
  std::chrono::system_clock::time_point asked = std::chrono::system_clock::now();
};

// Bytes of output, with those that are not kept.
struct Written {
  std::uint64_t out = 0;
  std::uint64_t error = 0;
};

// One execution of a context, or one process, from when it was asked for; kept for a while after its end, by
// its sandbox, and longer by whoever holds it. What it tells goes to its log and never waits for a reader.
// Used on the loop alone.
class Run : public engine::ExecutionObserver, public std::enable_shared_from_this<Run> {
 public:
  using Time = std::chrono::system_clock::time_point;

  const RunFacts& facts() const { return facts_; }
  const engine::ExecutionId& id() const { return facts_.id; }
  RunState state() const;
  bool is_over() const { return ending_.has_value(); }
  // Its turn has come, and it has ended; none: not yet.
  std::optional<Time> started_at() const { return started_; }
  std::optional<Time> ended_at() const { return ended_; }
  // Inside the sandbox, of a command that has started.
  std::optional<std::uint32_t> pid() const;
  // How it has ended, once it has. `usage.dropped_bytes` counts what is not in the log.
  const std::optional<engine::Ending>& ending() const { return ending_; }

  // So far.
  const Written& written() const { return written_; }

  const EventLog& log() const { return log_; }
  // Events after this one, at most about `most_bytes` of them: at once when there are some, otherwise when
  // there are. None: the run is over and has told everything, or the deadline has come.
  io::Task<std::vector<Event>> after(std::uint64_t number, std::size_t most_bytes, io::Deadline until);
  // Its end. kTimeout: it did not come in time.
  io::Task<engine::Ending> wait(io::Deadline until);

  // One that waits ends at once. One that runs is interrupted (a cell) or asked to end (a command), and
  // killed after its grace; it ends as cancelled, unless its end came first. kConflict: it has ended.
  Result<> cancel();
  // The others are for commands alone. kConflict: it has ended, or has no such thing.
  Result<> signal(int number);
  Result<> resize(wire::init::Window window);
  // Returns when all of it is on its way; waits while the process takes nothing. One writer at a time.
  io::Task<> input(std::string bytes, io::Deadline until);
  Result<> close_input();

  // engine::ExecutionObserver
  Result<> output(wire::init::Channel channel, std::string_view bytes) override;
  Result<> event(const engine::Bundle& bundle) override;
  void started(const engine::ExecutionId& execution) override;
  void input_taken() override { bell_.ring(); }
  void ended(const engine::Ending& ending) override;

 private:
  friend class Sandbox;
  struct From {
    std::uint64_t number = 0;
    std::size_t most_bytes = 0;
  };

  Run(const SandboxPtr& sandbox, RunFacts facts, EventLog::Limits limits);
  // How the sandbox has ended is known now.
  void explain(wire::spawner::EndedAs ended_as);
  void finish(engine::Ending ending);
  // Its sandbox, when there is still something to control.
  Result<SandboxPtr> controlled(std::string_view what) const;
  Result<SandboxPtr> controlled_process(std::string_view what) const;
  Result<> controlled_input() const;
  static io::Task<std::vector<Event>> read_after(RunPtr run, From from, io::Deadline until);
  static io::Task<engine::Ending> await_end(RunPtr run, io::Deadline until);
  static io::Task<> put(RunPtr run, std::string bytes, io::Deadline until);

  const RunFacts facts_;
  std::weak_ptr<Sandbox> sandbox_;
  std::shared_ptr<engine::ServedProcess> process_;  // of a command
  EventLog log_;
  Written written_;
  io::Bell bell_;
  std::size_t readers_ = 0;  // that wait right now
  std::optional<Time> started_;
  std::optional<Time> ended_;
  io::Clock::time_point ended_on_;
  std::optional<engine::Ending> unexplained_;
  std::optional<engine::Ending> ending_;
  bool has_lost_results_ = false;
  bool is_dropped_ = false;
};

}  // namespace fleet
