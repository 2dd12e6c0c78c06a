#pragma once

#include "sys/file.h"

namespace sys {

// A file that decides what root does: it must belong to root and be writable by root alone, or it is refused
// (kDenied) with what mends it. kNotFound when there is none.
Result<std::string> read_root_file(const std::string& path);

}  // namespace sys
