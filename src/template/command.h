#pragma once

#include <string>
#include <vector>

#include "template/progress.h"

namespace templates {

struct Command {
  std::vector<std::string> argv;         // argv[0] is found on PATH
  std::vector<std::string> environment;  // the whole of it
  int kept_fd = -1;                      // a descriptor that stays open in the child; -1: none
};

// Runs a program to its end in a session of its own, its output line by line to `progress`. It dies when we
// die or when `cancel` asks. A failure's message ends with the last lines of output.
Result<> run_command(const Command& command, Progress& progress, const Cancel& cancel);

// Runs a short program and returns what it printed.
Result<std::string> capture(const std::vector<std::string>& argv);

// PATH and locale, plus the proxy variables of our own environment.
std::vector<std::string> command_environment();
// For tools that fetch packages: also what tells pip and npm where from, and whom to trust.
std::vector<std::string> fetch_environment();

}  // namespace templates
