#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/bundle.h"
#include "engine/sandbox.h"

namespace engine {

// Where a context's process comes from. A fork of the template's zygote has everything imported; it is not to
// be had in a template without one, for root, or, unless it is waited for, before the zygote is ready.
enum class Birth { kCold, kZygoteIfReady, kZygote };

struct ContextOptions {
  std::vector<std::string> argv;  // the runtime
  std::vector<std::string> environment;
  std::string cwd = "/home/user";
  wire::init::User user = wire::init::User::kUser;
  Birth birth = Birth::kCold;
};

// To check code is to ask whether it is a whole cell: nothing of it is run.
enum class Purpose { kRun, kCheck };

struct Cell {
  std::string code;
  Purpose purpose = Purpose::kRun;
  std::string input;     // what the code may read
  std::string language;  // for a runtime of several; empty: its own
  std::chrono::milliseconds timeout{0};
  std::chrono::milliseconds grace{2000};
  std::uint64_t output_cap = 10 << 20;
};

// Whoever watches an execution: what was written and what was told, in order.
class CellObserver {
 public:
  virtual ~CellObserver() = default;
  // An error ends the watching.
  virtual Result<> output(wire::init::Channel channel, std::string_view bytes) = 0;
  virtual Result<> event(const Bundle& bundle) = 0;
  // What to wait on beside the sandbox, -1 for none: readable when the execution is to be interrupted.
  virtual int interrupt_fd() const { return -1; }
  // The signal to send, 0 for none; SIGKILL ends the context.
  virtual int take_interrupt() { return 0; }
};

// An interpreter that keeps its state, in a live sandbox. Its runtime is not believed: it may be the code
// that ran in it which speaks.
class Context {
 public:
  // Returns when the runtime is ready. Whatever cannot come from a zygote starts cold; a zygote that fails is
  // an error.
  static Result<Context> start(Sandbox& sandbox, SpawnerClient& spawner, const ContextOptions& options);
  // Cold in any case.
  static Result<Context> start(Sandbox& sandbox, const ContextOptions& options);

  Result<Outcome> execute(const Cell& cell, CellObserver& observer);
  // It has ended, and its state with it; another may be started.
  bool is_lost() const { return is_lost_; }

 private:
  Context(Sandbox& sandbox, std::uint32_t stream) : sandbox_(&sandbox), stream_(stream) {}

  // The next event of this context; none when the sandbox has ended. Serves the observer meanwhile.
  Result<std::optional<wire::init::Event>> next(CellObserver* observer);
  Result<> await_ready();
  static Result<std::optional<Context>> enter(Sandbox& sandbox, SpawnerClient& spawner,
                                              const ContextOptions& options);
  // True: its process is there already.
  Result<bool> be_expected(const ContextOptions& options);
  Result<> await(CellObserver* observer);
  Result<> hear(const wire::runtime::Piece& piece, CellObserver& observer);
  Result<> tell(CellObserver& observer);
  void note_done(const std::string& payload);
  Outcome outcome_of(const wire::init::Ended& end) const;

  Sandbox* sandbox_;
  std::uint32_t stream_;
  std::uint32_t number_ = 0;  // of the last execution
  bool is_lost_ = false;
  // Of the execution that runs.
  std::string message_;  // what was said of a message so far
  bool is_too_large_ = false;
  bool failed_ = false;
  int exit_code_ = 0;
};

}  // namespace engine
