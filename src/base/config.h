#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace base {

// What the operator may configure. One table (config.cc) of key, meaning and parser; an unknown key is an
// error.
struct Config {
  std::vector<std::string> workspace_roots;

  static constexpr const char* kDefaultPath = "/etc/cove/cove.conf";
};

// `text` has lines "key = value", blank lines and # comments; `origin` names it in errors.
Result<Config> parse_config(std::string_view text, std::string_view origin);

}  // namespace base
