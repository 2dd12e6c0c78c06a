#pragma once

#include "cli/command.h"
#include "engine/sandbox.h"

namespace cli {

// A sandbox from its creation to its end, for a command that has one.
class Stay {
 public:
  static Result<Stay> begin(const Globals& globals, const engine::SandboxOptions& options);

  engine::Sandbox& sandbox() { return sandbox_; }
  const engine::Sandbox& sandbox() const { return sandbox_; }
  engine::SpawnerClient& spawner() { return spawner_; }
  std::chrono::microseconds create_time() const { return create_time_; }
  // Nothing of the sandbox is left afterwards.
  Result<> end();
  // The same, and the outcome with why the sandbox had ended by itself before.
  Result<engine::Outcome> end_with(Result<engine::Outcome> outcome);

 private:
  Result<wire::spawner::EndedAs> destroy();
  Stay(const Globals& globals, engine::SpawnerClient spawner, engine::Sandbox sandbox)
      : globals_(&globals), spawner_(std::move(spawner)), sandbox_(std::move(sandbox)) {}

  const Globals* globals_;
  engine::SpawnerClient spawner_;
  engine::Sandbox sandbox_;
  std::chrono::microseconds create_time_{};
};

}  // namespace cli
