// cli: `cove`. main.cc builds the parser; each subcommand is one file that adds itself, parses its own
// options and says which exit code it ends with. What it does goes through engine, template, doctor and
// store.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/paths.h"
#include "engine/spawner_client.h"

namespace cli {

using base::Result;

// Exit codes of `cove` itself; a program's own code is passed through.
constexpr int kExitUsage = 2;
constexpr int kExitTimeout = 124;
constexpr int kExitCoveFailed = 125;
constexpr int kExitCannotExecute = 126;
constexpr int kExitNotFound = 127;
constexpr int kExitInterrupted = 130;
constexpr int kExitOutOfMemory = 137;
constexpr int kExitSignalBase = 128;

// Options before the subcommand.
struct Globals {
  std::string state = base::Paths::kDefaultState;
  std::string config;
  std::string bin;  // where this program and its companions are
  // What follows the first "--", which the parser never sees: a command and its arguments, whatever they look
  // like.
  std::optional<std::vector<std::string>> after_dashes;

  base::Paths paths() const { return base::Paths::of(state); }
};

// What main runs after parsing: the chosen subcommand's action.
struct Chosen {
  std::function<int()> action;
};

void add_run(CLI::App& app, const Globals& globals, Chosen& chosen);
void add_repl(CLI::App& app, const Globals& globals, Chosen& chosen);
void add_template(CLI::App& app, const Globals& globals, Chosen& chosen);
void add_doctor(CLI::App& app, const Globals& globals, Chosen& chosen);
void add_spawner(CLI::App& app, const Globals& globals, Chosen& chosen);
void add_key(CLI::App& app, const Globals& globals, Chosen& chosen);
void add_team(CLI::App& app, const Globals& globals, Chosen& chosen);
void add_user(CLI::App& app, const Globals& globals, Chosen& chosen);
void add_project(CLI::App& app, const Globals& globals, Chosen& chosen);
void add_serve(CLI::App& app, const Globals& globals, Chosen& chosen);
void add_service(CLI::App& app, const Globals& globals, Chosen& chosen);
void add_config(CLI::App& app, const Globals& globals, Chosen& chosen);
void add_completion(CLI::App& app, Chosen& chosen);

// Prints "cove: message" to stderr and gives the code back.
int report(const base::Error& error, int exit_code = kExitCoveFailed);
// The same, with the code of wrong usage where that is it.
int report_failure(const base::Error& error);

// Root, or an error that says what to do.
Result<> require_root(const std::string& what);
// The spawner of this state directory, started when needed.
Result<engine::SpawnerClient> connect_spawner(const Globals& globals);

}  // namespace cli
