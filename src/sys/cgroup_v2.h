#pragma once

#include <memory>

#include "sys/cgroup.h"

namespace sys {

// memory, pids and cpu are controllers of the unified hierarchy.
Result<std::unique_ptr<CgroupTree>> make_v2_tree(const std::string& parent, const CgroupMounts& mounts);

}  // namespace sys
