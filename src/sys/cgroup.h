// Control groups. Limits sit on one group per sandbox; each process that init starts gets a leaf of its own
// below it, in the unified hierarchy only. Two implementations of one interface: pure v2 (cgroup_v2.cc), and
// v1 controllers beside a unified hierarchy (cgroup_v1.cc), where the same-named group exists once per
// controller.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sys/cgroup_mounts.h"
#include "sys/file.h"

namespace sys {

struct CgroupLimits {
  std::uint64_t memory_bytes = 0;
  std::uint32_t max_pids = 0;
  std::uint32_t cpu_millis = 0;  // 1000 = one CPU
};

// What init reads to say what a run cost and which limits it hit. Same text in both versions: `oom` has a
// line "oom_kill N", `pids` a line "max N", `memory_peak` is one number that a write resets.
struct CgroupGauges {
  UniqueFd oom;
  UniqueFd oom_notify;  // v1: an eventfd (readable); v2: memory.events again (POLLPRI)
  UniqueFd memory_peak;
  UniqueFd pids;
};

struct CgroupGroup {
  UniqueFd unified;            // the group's directory in the unified hierarchy
  std::vector<UniqueFd> join;  // cgroup.procs of the v1 controllers: a process writes "0" to enter
  CgroupGauges gauges;
};

class CgroupTree {
 public:
  CgroupTree(std::string parent, CgroupMounts mounts);
  virtual ~CgroupTree() = default;

  // A new group `name`, still without limits.
  virtual Result<CgroupGroup> create(const std::string& name) = 0;
  virtual Result<> set_limits(const std::string& name, const CgroupLimits& limits) = 0;
  // Both, and given to `owner` (delegate_group).
  Result<CgroupGroup> create(const std::string& name, const CgroupLimits& limits, uid_t owner);
  // Moves a process into the group, in every hierarchy. kExhausted when there are more processes in it now
  // than it may have: no kernel refuses a move for that.
  virtual Result<> move_in(const std::string& name, pid_t pid) const = 0;
  // While idle, its processes run when nobody else wants the CPU.
  virtual Result<> set_idle(const std::string& name, bool idle) const = 0;
  // What its processes and their files take now, in bytes.
  virtual Result<std::uint64_t> memory(const std::string& name) const = 0;
  // Removes the group, its leaves and its twins; the processes must be gone. Absent parts are fine.
  virtual Result<> remove(const std::string& name) = 0;
  // Removes the parent group that all sandboxes of this instance share.
  virtual Result<> remove_parent() = 0;
  virtual std::string_view version() const = 0;  // "v2" or "v1"

  // How many processes of the group the kernel has killed for want of memory.
  virtual Result<std::uint64_t> oom_kills(const std::string& name) const = 0;

  Result<> kill_all(const std::string& name) const;
  Result<bool> populated(const std::string& name) const;
  // The group's cgroup.events: a line "populated 0|1", and POLLPRI when it changes.
  Result<UniqueFd> open_events(const std::string& name) const;
  // Waits until no process is left, by the kernel's own notification.
  Result<> wait_empty(const std::string& name, std::chrono::milliseconds limit) const;
  // Groups of this instance in any hierarchy, also those left by a spawner that was killed.
  Result<std::vector<std::string>> list() const;

 protected:
  static constexpr unsigned kCpuPeriodUs = 100'000;
  Result<UniqueFd> open_unified(const std::string& name) const;
  std::string unified_path() const { return mounts_.unified + "/" + parent_; }

  const std::string parent_;
  const CgroupMounts mounts_;
};

// Makes the parent group `parent` in every hierarchy needed and switches on cheap migration (favordynmods).
Result<std::unique_ptr<CgroupTree>> open_cgroup_tree(const std::string& parent, const CgroupMounts& mounts);

// How many leaves a sandbox may have. What init leaves behind is removed one level deep, so there is one
// level.
constexpr unsigned kMaxLeaves = 1024;

// Gives a group's directory to `owner`, who may make leaves in it and move processes between them. The files
// that bound it stay ours.
Result<> delegate_group(int group_directory, uid_t owner);

// Whether the process is in the group of this name itself, in the unified hierarchy; false when it is gone.
Result<bool> is_in_group(pid_t pid, const std::string& group);

// Removes the leaves below a group's directory and then nothing else; ENOENT is fine.
Result<> remove_leaves(int group_directory);

// Whether a pids controller's group holds no more than it may; `directory` is that group's.
Result<> check_pids(int directory);

// The number behind `key` in lines "key number"; 0 when the line is missing.
std::uint64_t gauge_value(std::string_view text, std::string_view key);

}  // namespace sys
