#pragma once

#include "cli/command.h"
#include "engine/sandbox.h"

namespace cli {

// What every command that makes a sandbox lets the user say about it, as typed.
struct SandboxArguments {
  std::string template_name = "base";
  std::string cpus = "1";
  std::string memory = "512M";
  std::string disk;
  std::uint32_t pids = 256;
  std::string timeout = "60s";
  std::string output = "10M";
  std::vector<std::string> environment;
  std::string workspace;
  bool root = false;
};

// As understood: the sandbox, and what all that runs in it has in common.
struct Ground {
  engine::SandboxOptions options;
  std::string template_name;
  std::string template_root;  // where its files lie; empty: the sandbox has others besides, from the start
  std::vector<std::string> environment;
  std::string cwd = "/home/user";
  wire::init::User user = wire::init::User::kUser;
  std::chrono::milliseconds timeout{};
  std::uint64_t output_cap = 0;
};

void add_sandbox_options(CLI::App& sub, SandboxArguments& args);
Result<Ground> understand_ground(const Globals& globals, const SandboxArguments& args);

}  // namespace cli
