#pragma once

#include <cstdint>
#include <string>

#include "sys/file.h"

namespace sys {

struct LoopDevice {
  UniqueFd fd;
  std::string path;
};

// Puts a loop device over an open file. The kernel clears the device when its last user is gone: the
// descriptor here, or the file system that is mounted from it.
Result<LoopDevice> attach_loop(int file);

// Of the block device below a mounted file system: its name in /dev, and what was ever written to it.
Result<std::string> device_path(int mount);
Result<std::uint64_t> device_writes(int mount);

}  // namespace sys
