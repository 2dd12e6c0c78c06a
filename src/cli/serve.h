#pragma once

#include "cli/command.h"

namespace cli {

// How `cove serve` is told what it does; a service runs it with the same words.
struct ServeArguments {
  std::vector<std::string> listen;
  std::vector<std::string> set;  // "key=value"
  std::string server_program;    // empty: cove-server beside this program

  // All of it as "key=value".
  std::vector<std::string> flags() const;
};

void add_serve_options(CLI::App& sub, ServeArguments& args);

}  // namespace cli
