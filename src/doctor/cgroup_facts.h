// What the host's texts say about its control groups: pure v2, or v1 controllers with a unified hierarchy
// beside them (hybrid). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/host_text.h"
#include "sys/cgroup_mounts.h"

namespace doctor {

struct CgroupFacts {
  sys::CgroupMounts mounts;
  bool favordynmods = false;           // the unified hierarchy has it switched on
  std::vector<std::string> offered;    // v2: cgroup.controllers of the root
  std::vector<std::string> passed_on;  // v2: cgroup.subtree_control of the root
};

struct CgroupTexts {
  std::string mountinfo;
  std::string controllers;      // of the unified root
  std::string subtree_control;  // of the unified root
};

CgroupFacts parse_cgroup_facts(const CgroupTexts& texts);

// Where Cove takes a controller from. As soon as one of memory, pids and cpu is a v1 hierarchy, all must be.
enum class Place { kNowhere, kV1, kV2 };
Place place_of(const CgroupFacts& facts, const std::string& controller);

// "v2", "v1 controllers with a unified hierarchy beside them", "v1 only", "none".
std::string_view describe(const CgroupFacts& facts);

}  // namespace doctor
