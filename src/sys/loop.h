#pragma once

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

}  // namespace sys
