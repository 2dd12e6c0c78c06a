#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace api {

std::string base64(std::string_view bytes);
// Standard alphabet with padding, nothing else. kInvalid for all that is not.
base::Result<std::string> bytes_of_base64(std::string_view text);

}  // namespace api
