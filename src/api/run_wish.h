#pragma once

#include "api/run_files.h"

namespace api {

enum class Streaming { kNone, kSse };

// What a request that runs something says about it.
struct RunWish {
  std::optional<std::string> language;  // of code; a name that the engine knows
  std::optional<std::string> code;
  std::vector<std::string> argv;  // of a command
  std::optional<std::string> cwd;
  std::vector<std::string> environment;
  std::string input;
  std::optional<std::chrono::milliseconds> timeout;
  Streaming streaming = Streaming::kNone;
  RunFiles files;
};

// Each takes its fields out of the body; check() is the caller's.
void read_code(Fields& fields, RunWish& wish);
// `command` for a shell, or `argv`; nothing when neither is there.
void read_command(Fields& fields, RunWish& wish);
void read_run(const Call& call, Fields& fields, RunWish& wish);
Streaming read_streaming(Fields& fields);
// `cwd`, of which only the form is looked at.
std::optional<std::string> read_cwd(Fields& fields);

// What a runtime of several languages calls this one; empty where it has one.
std::string dialect_of(std::string_view language);
engine::Cell cell_of(const RunWish& wish, std::chrono::milliseconds timeout);
// With the sandbox's environment under the wish's own.
engine::Command command_of(const fleet::Sandbox& sandbox, const RunWish& wish,
                           std::chrono::milliseconds timeout);

}  // namespace api
