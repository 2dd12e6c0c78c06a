#pragma once

#include <string>
#include <vector>

#include "engine/execution.h"
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

  Sandbox* sandbox_;
  std::uint32_t stream_;
  Execution execution_{0};  // the last one
  bool is_lost_ = false;
};

}  // namespace engine
