#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "wire/init_messages.h"

namespace init {

// How a process is known to an engine that did not start it.
struct Record {
  std::vector<std::string> argv;  // its beginning
  std::uint64_t started_us = 0;   // since the epoch

  static Record of(const std::vector<std::string>& argv) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    Record record{.started_us = static_cast<std::uint64_t>(
                      std::chrono::duration_cast<std::chrono::microseconds>(now).count())};
    for (std::size_t i = 0; i < argv.size() && i < wire::init::kMaxListedArguments; ++i) {
      record.argv.push_back(argv[i].substr(0, wire::init::kMaxListedArgument));
    }
    return record;
  }
};

}  // namespace init
