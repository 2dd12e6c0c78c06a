#pragma once

#include <string>
#include <vector>

#include "engine/execution.h"
#include "engine/sandbox.h"

namespace engine {

struct ContextOptions {
  std::vector<std::string> argv;  // the runtime
  std::vector<std::string> environment;
  std::string cwd = "/home/user";
  wire::init::User user = wire::init::User::kUser;
};

// An interpreter that keeps its state, in a live sandbox. Its runtime is not believed: it may be the code
// that ran in it which speaks.
class Context {
 public:
  // Returns when the runtime is ready.
  static Result<Context> start(Sandbox& sandbox, const ContextOptions& options);

  Result<Outcome> execute(const Cell& cell, CellObserver& observer);
  // It has ended, and its state with it; another may be started.
  bool is_lost() const { return is_lost_; }

 private:
  Context(Sandbox& sandbox, std::uint32_t stream) : sandbox_(&sandbox), stream_(stream) {}

  // The next event of this context; none when the sandbox has ended. Serves the observer meanwhile.
  Result<std::optional<wire::init::Event>> next(CellObserver* observer);
  Result<> await_ready();
  Result<> await(CellObserver* observer);

  Sandbox* sandbox_;
  std::uint32_t stream_;
  Execution execution_{0};  // the last one
  bool is_lost_ = false;
};

}  // namespace engine
