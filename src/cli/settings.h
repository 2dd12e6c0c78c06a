#pragma once

#include "base/config.h"
#include "cli/command.h"

namespace cli {

// What is configured for this state directory: file, environment and these flags ("key=value").
Result<base::Settings> load_settings(const Globals& globals, const std::vector<std::string>& flags);

}  // namespace cli
