#pragma once

#include <cstdint>
#include <string>

#include "doctor/cgroup_facts.h"
#include "doctor/environment.h"
#include "doctor/finding.h"

namespace doctor {

enum class Privilege { kUser, kRoot };

// What is read once and every check may look at.
struct Host {
  Options options;
  std::string release;  // "6.18.44-fc"
  std::string system;   // "Debian GNU/Linux 13 (trixie)"
  Environment environment;
  CgroupFacts cgroups;
  Privilege privilege = Privilege::kUser;
  std::uint64_t capabilities = 0;  // effective
  std::string state_ancestor;      // the state directory, or the nearest directory above it that exists
  std::string scratch_group;       // name of the throwaway cgroup
};

Host describe_host(const Options& options);

}  // namespace doctor
