#pragma once

#include <string_view>

#include "base/error.h"

namespace base {

// "127.0.0.1:7717", "[::1]:0", "localhost:80" or "unix:/path".
Result<> check_listen_address(std::string_view text);
// Whether only this machine can reach it; for an address that was checked.
bool is_local_address(std::string_view text);

}  // namespace base
