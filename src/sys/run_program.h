#pragma once

#include <string>
#include <vector>

#include "sys/file.h"

namespace sys {

// Runs a program to its end, without input and with a bare environment. `keep` is a descriptor that it sees
// under the same number. A failure's message ends with what it printed.
Result<> run_program(const std::vector<std::string>& argv, int keep = 2);

// Closes every descriptor above the standard three but these.
Result<> close_all_but(std::vector<int> kept);

}  // namespace sys
