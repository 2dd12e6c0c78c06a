#pragma once

#include <string>
#include <vector>

#include "sys/directory.h"

namespace templates {

// Names of everything in an open directory, without "." and "..", unsorted. The descriptor's own position
// does not move.
inline base::Result<std::vector<std::string>> names_in(int directory) { return sys::entries_at(directory); }

}  // namespace templates
