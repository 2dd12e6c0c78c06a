#pragma once

#include <chrono>

#include "base/log.h"
#include "base/paths.h"
#include "supervisor/server_command.h"

namespace supervisor {

struct Plan {
  base::Paths paths;
  base::Settings settings;
  std::string config_file;                 // for the spawner; empty: the default
  std::vector<std::string> flags;          // "key=value", for the spawner
  std::string spawner_program;             // cove-spawner
  std::string server_program;              // cove-server
  std::chrono::milliseconds grace{10000};  // that the server gets to end its sandboxes
};

// Runs until SIGTERM or SIGINT, which is a success, or until going on is hopeless. A second signal cuts the
// grace short. Prints one line to stdout when the server serves, and each time that it does again, and tells
// the service manager. Needs root and a process of one thread.
Result<> supervise(const Plan& plan, base::Log& log);

}  // namespace supervisor
