#pragma once

#include <string>
#include <vector>

#include "sys/file.h"

namespace sys {

// Names of the directories in a directory, without "." and "..", unsorted.
Result<std::vector<std::string>> subdirectories(const std::string& path);
Result<std::vector<std::string>> subdirectories_at(int directory);
// Names of everything in a directory.
Result<std::vector<std::string>> entries(const std::string& path);
Result<std::vector<std::string>> entries_at(int directory);

}  // namespace sys
