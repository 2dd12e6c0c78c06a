#pragma once

#include <unistd.h>

#include "jail/control.h"
#include "tests/control/faults.h"

namespace control {

using base::Result;

// Where a weakness is not a matter of the plan: steps that are left out, done carelessly instead, or followed
// by what a careless step would have done. Injected faults come first.
class WeakSteps final : public jail::StepHook {
 public:
  void set_weaknesses(std::uint32_t weaknesses) { weaknesses_ = weaknesses; }
  Result<Then> before(const char* step, jail::Build& build) override;

 private:
  std::uint32_t weaknesses_ = 0;
  Faults faults_{::getpid()};
};

}  // namespace control
