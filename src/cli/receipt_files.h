#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "engine/file_changes.h"

namespace cli {

// Valid JSON whatever bytes the names are made of: what is no UTF-8 becomes U+FFFD.
boost::json::object files_json(const engine::FileChanges& files);
// One line that a terminal can show; paths below the working directory without it.
std::string files_text(const engine::FileChanges& files, const std::string& working_directory);

}  // namespace cli
