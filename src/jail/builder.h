#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jail/plan.h"
#include "jail/wiring.h"
#include "sys/process.h"

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

struct StepBoard;

// A plan that is being carried out by processes of its own. Whatever becomes of it, some of them may still be
// in the sandbox's cgroup, which the caller kills and removes.
class Building {
 public:
  static Result<Building> start(const Plan& plan, Wiring& wiring, StepHook* hook);

  // Hangs up when there is nothing more to wait for.
  int fd() const { return reports_.get(); }
  bool is_over() const;
  // Waits for the end. The error names the step that failed.
  Result<Built> finish();

 private:
  struct Unmap {
    void operator()(StepBoard* board) const;
  };
  using SharedBoard = std::unique_ptr<StepBoard, Unmap>;
  using Clock = std::chrono::steady_clock;

  Building(sys::Clone helper, sys::UniqueFd reports, SharedBoard board);
  static Result<SharedBoard> share_board();
  Result<Built> collect() const;

  sys::Clone helper_;
  sys::UniqueFd reports_;
  SharedBoard board_;
  Clock::time_point deadline_;
};

}  // namespace jail
