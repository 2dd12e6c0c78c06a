#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/paths.h"
#include "jail/control.h"

namespace spawner {

struct Options {
  std::string state = base::Paths::kDefaultState;
  std::string config;                 // empty: the default path, which may be absent
  std::string init_program;           // empty: cove-init beside this program
  std::vector<std::string> settings;  // "key=value", before the configuration
  uid_t client = 0;                   // who may connect besides root; 0: nobody
  std::optional<std::chrono::seconds> linger;
};

base::Result<Options> parse_arguments(int argc, char** argv);

// Everything from a bare process to the end of serving. `make_control` is null in the product.
using MakeControl = std::unique_ptr<jail::ControlAuthority> (*)(const jail::Materials&);
base::Result<> run(const Options& options, MakeControl make_control);

}  // namespace spawner
