#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "jail/plan.h"
#include "jail/wiring.h"

namespace jail {

struct Build;

// A seam for tests: asked before each step, in the process that is about to run it. The product passes none.
class StepHook {
 public:
  enum class Then { kRunStep, kSkipStep };
  virtual ~StepHook() = default;
  virtual Result<Then> before(const char* step, Build& build) = 0;
};

struct StepDuration {
  std::string name;
  std::uint64_t microseconds = 0;
};

// A sandbox whose pid 1 has executed cove-init.
struct Built {
  pid_t pid = 0;  // of pid 1, as the host sees it
  sys::UniqueFd pidfd;
  std::vector<StepDuration> steps;
};

// Carries a plan out. The error names the step that failed; processes of the attempt may still be in the
// sandbox's cgroup, which the caller kills and removes.
Result<Built> build(const Plan& plan, Wiring& wiring, StepHook* hook);

}  // namespace jail
