#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/error.h"

namespace sys {

// Where the hierarchies of this host are mounted.
struct CgroupMounts {
  std::string unified;                             // the cgroup2 mount; empty when there is none
  std::map<std::string, std::string> controllers;  // v1: controller name -> mount point
};

// Reads mountinfo text.
CgroupMounts parse_cgroup_mounts(std::string_view mountinfo);
// This host's mounts, or an error that says what is missing (a unified hierarchy; memory, pids, cpu
// somewhere).
base::Result<CgroupMounts> find_cgroup_mounts();

}  // namespace sys
