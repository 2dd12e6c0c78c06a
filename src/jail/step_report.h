#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "jail/builder.h"
#include "jail/steps.h"

namespace jail {

// What the processes that carry steps out tell the spawner. Fixed size: it is written by a process on its way
// into the sandbox.
struct StepReport {
  enum Kind : std::uint32_t { kFailed, kMade };
  Kind kind = kFailed;
  std::uint32_t code = 0;
  std::int32_t sys_errno = 0;
  pid_t pid = 0;
  wire::spawner::Text<40> name;
  wire::spawner::Text<400> message;
};

// Steps that are done, in a page that the spawner shares with the processes that run them until they execute
// init: no message per step, and one that is killed has still told how far it came.
struct StepBoard {
  std::uint32_t done = 0;
  std::array<std::uint32_t, wire::spawner::kMaxSteps> microseconds{};
};

// Runs every step or stops at the first failure, which is reported.
Result<> run_steps(std::span<const Step> steps, Build& build, StepHook* hook);

void report_failure(int socket, const char* step, const base::Error& error);
// Something was made: a process, or a descriptor of it.
Result<> report_made(int socket, pid_t pid, int fd);

// The next report and what came along; none when the last process that held the other end is gone from it.
struct Received {
  pid_t pid = 0;
  sys::UniqueFd fd;
};
Result<std::optional<Received>> receive_report(int socket);

}  // namespace jail
