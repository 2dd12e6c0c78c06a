#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "engine/sandbox.h"

namespace cli {

// What is told of a run after its output.
struct Receipt {
  const engine::Outcome& outcome;
  const engine::SandboxOptions& options;
  const engine::Command& command;
  std::string sandbox;
  std::string template_name;
  std::string seccomp;
  std::vector<engine::SetupStep> setup;
  std::chrono::microseconds create_time{};
};

boost::json::object receipt_json(const Receipt& receipt);
std::string receipt_text(const Receipt& receipt);
// One line for a human when a run ended otherwise than by itself; empty when there is nothing to add.
std::string verdict_line(const Receipt& receipt);
int exit_code_of(const engine::Outcome& outcome);

}  // namespace cli
