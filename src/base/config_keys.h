#pragma once

#include <span>

#include "base/config.h"

namespace base {

// How often a key may be given. kLines: each line adds one. kList: likewise, and a line may hold several with
// commas between them.
enum class Repeat { kNo, kLines, kList };

struct ConfigKey {
  std::string_view name;
  std::string_view doc;
  std::string_view default_text;  // in the operator's spelling; empty: nothing
  Result<> (*set)(Config&, std::string_view);
  Repeat repeat = Repeat::kNo;
};

// The table. Its order is that of `cove config` and of the documentation.
std::span<const ConfigKey> config_keys();

std::string_view name_of(LogLevel level);

}  // namespace base
