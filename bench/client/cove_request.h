#pragma once

#include <string>
#include <vector>

#include "engine/sandbox.h"

namespace bench {

using base::Result;

// One instance of Cove to send requests to.
struct Cove {
  std::string state;
  std::string spawner;  // program to start when none serves
  std::string digest;   // of the template

  static Result<Cove> find(const std::string& state, const std::string& template_name);
  Result<engine::SpawnerClient> connect() const;
};

engine::Command command_of(const std::vector<std::string>& argv);

// A command in the sandbox; anything but exit code 0 is an error.
Result<> run_in(engine::Sandbox& sandbox, const engine::Command& command);

// A sandbox made, used for one command and destroyed.
Result<> whole_life(engine::SpawnerClient& spawner, const Cove& cove, const engine::Command& command);

}  // namespace bench
