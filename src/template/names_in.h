#pragma once

#include <string>
#include <vector>

#include "template/rules.h"

namespace templates {

// Names of everything in an open directory, without "." and "..", unsorted. The descriptor's own position
// does not move.
Result<std::vector<std::string>> names_in(int directory);

}  // namespace templates
