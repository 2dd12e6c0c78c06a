#pragma once

#include <cstdint>

#include "sys/file.h"

// Project quota of a file system: files belong to a numbered project, inherited from their directory, and a
// project has hard limits. ext4 and xfs have it.
namespace sys {

// An error says what is missing: in the kernel, in the file system, or among its mount options.
Result<> check_project_quota(int directory);

// Makes an empty directory, and all that will be made in it, part of a project.
Result<> set_project(int directory, std::uint32_t project);
Result<std::uint32_t> project_of(int directory);

struct ProjectLimits {
  std::uint64_t bytes = 0;  // 0: no limit
  std::uint64_t inodes = 0;
};
struct ProjectState {
  ProjectLimits limits;
  ProjectLimits used;
};
Result<> set_project_limits(int directory, std::uint32_t project, ProjectLimits limits);
// All zeros for a project that was never used.
Result<ProjectState> project_state(int directory, std::uint32_t project);

}  // namespace sys
