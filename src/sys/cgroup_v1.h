#pragma once

#include <memory>

#include "sys/cgroup.h"

namespace sys {

// memory, pids and cpu are v1 hierarchies; the unified one gives birth into groups, kill, events and CPU
// time.
Result<std::unique_ptr<CgroupTree>> make_v1_tree(const std::string& parent, const CgroupMounts& mounts);

}  // namespace sys
