#pragma once

#include <cstdint>
#include <span>

#include "jail/builder.h"
#include "jail/steps.h"

namespace jail {

// What the processes that carry steps out tell the spawner. Fixed size: it is written by a process on its way
// into the sandbox.
struct StepReport {
  enum Kind : std::uint32_t { kStepDone, kFailed, kBorn };
  Kind kind = kStepDone;
  std::uint32_t code = 0;
  std::int32_t sys_errno = 0;
  pid_t pid = 0;
  std::uint64_t microseconds = 0;
  wire::spawner::Text<40> name;
  wire::spawner::Text<400> message;
};

// Runs every step or stops at the first failure. Each end is reported.
Result<> run_steps(std::span<const Step> steps, Build& build, StepHook* hook);

void report_failure(int socket, const char* step, const base::Error& error);
Result<> report_birth(int socket, pid_t pid, int pidfd);

}  // namespace jail
