#pragma once

#include <optional>

#include "engine/context.h"

namespace engine {

// Of code that somebody is typing.
enum class Completeness { kComplete, kIncomplete, kInvalid };

// A context that is started again when it was lost: by a crash, a limit, a timeout that nothing else could
// enforce. Its state is gone then, and whoever runs the next cell is told so, once.
class LastingContext {
 public:
  LastingContext(Sandbox& sandbox, SpawnerClient& spawner, ContextOptions options)
      : sandbox_(&sandbox), spawner_(&spawner), options_(std::move(options)) {}

  // Starts it; otherwise the first cell does.
  Result<> start();
  Result<Outcome> execute(const Cell& cell, CellObserver& observer);
  // What the runtime thinks of the code; one that does not tell takes it as it is.
  Result<Completeness> check(const std::string& code, const std::string& language);

 private:
  Sandbox* sandbox_;
  SpawnerClient* spawner_;
  ContextOptions options_;
  std::optional<Context> context_;
  bool had_state_ = false;
};

}  // namespace engine
