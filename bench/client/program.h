#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace bench {

using base::Result;

struct Program {
  std::string root;  // changed into before the program is executed; empty: none
  std::vector<std::string> argv;
  std::vector<std::string> environment;
};

// Starts the program and waits for its end. Anything but exit code 0 is an error. Every contender that is a
// program goes this way, the bare one too, so that what it costs cancels out.
Result<> run_program(const Program& program);

}  // namespace bench
