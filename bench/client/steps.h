#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "bench/client/cove_request.h"

namespace bench {

struct StepsOptions {
  std::vector<std::string> argv;
  int runs = 200;
  std::chrono::milliseconds pace{0};
};

// Where the time of a request goes: each phase as this client sees it, and each step of a setup as the
// spawner's reply tells. Prints a table.
Result<> print_steps(const Cove& cove, const StepsOptions& options);

}  // namespace bench
