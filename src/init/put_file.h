#pragma once

#include "init/launch.h"

namespace init {

// Writes a file in a forked process that has become the sandbox's user: the file system decides what it may.
Result<> put_file(const wire::init::PutFile& request, const LaunchPolicy& policy);

}  // namespace init
