// Control groups, tried on a throwaway group that the parent removes afterwards.
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "doctor/check.h"
#include "doctor/child.h"
#include "sys/file.h"
#include "sys/process.h"

namespace doctor {

using base::Code;
using base::Result;

namespace {

constexpr const char* kEnableFix =
    "boot without cgroup_disable= and, for v2, with systemd.unified_cgroup_hierarchy=1; memory, pids and cpu "
    "must all "
    "be in v2 or all in v1";

Outcome look_at_unified(const Host& host) {
  const std::string layout(describe(host.cgroups));
  if (host.cgroups.mounts.unified.empty()) return {Status::kMissing, layout};
  return {Status::kOk, layout + ", unified at " + host.cgroups.mounts.unified};
}

std::string group_in(const std::string& hierarchy, const Host& host) {
  return hierarchy + "/" + host.scratch_group;
}

Result<sys::UniqueFd> make_unified_group(const Host& host) {
  const std::string& root = host.cgroups.mounts.unified;
  if (root.empty()) return base::fail(Code::kUnsupported, "no unified hierarchy is mounted");
  RETURN_IF_ERROR(sys::mkdir_if_missing(group_in(root, host), 0755));
  return sys::open(group_in(root, host), O_RDONLY | O_DIRECTORY);
}

Result<std::string> try_kill(const Host& host) {
  ASSIGN_OR_RETURN(const auto group, make_unified_group(host));
  ASSIGN_OR_RETURN(const pid_t pid, fork_process());
  if (pid == 0) {
    while (true) ::pause();
  }
  const auto killed = [&] -> Result<> {
    RETURN_IF_ERROR(sys::write_existing_at(group.get(), "cgroup.procs", std::to_string(pid)));
    return sys::write_existing_at(group.get(), "cgroup.kill", "1");
  }();
  if (!killed) {
    (void)::kill(pid, SIGKILL);
    return std::unexpected(killed.error());
  }
  int status = 0;
  if (TEMP_FAILURE_RETRY(::waitpid(pid, &status, 0)) < 0) return base::failed_call("waitpid");
  return "killed a group";
}

Result<std::string> try_clone_into(const Host& host) {
  ASSIGN_OR_RETURN(const auto group, make_unified_group(host));
  ASSIGN_OR_RETURN(const auto child, sys::clone_process({.cgroup = group.get()}));
  if (child.is_child()) {
    const auto groups = parse_cgroup_membership(sys::read_file("/proc/self/cgroup").value_or(""));
    const bool inside = std::ranges::any_of(groups, [&](const CgroupMembership& membership) {
      return membership.controllers.empty() && membership.path.ends_with("/" + host.scratch_group);
    });
    ::_exit(inside ? 0 : 1);
  }
  ASSIGN_OR_RETURN(const auto status, sys::wait_pidfd(child.pidfd.get()));
  if (status.code != 0 || status.signal != 0)
    return base::fail(Code::kInternal, "the child was born elsewhere");
  return "a process was born into a group";
}

// A limit by its name and value in both versions, and what else of the controller a receipt is read from.
struct Limit {
  const char* controller;
  const char* v2_file;
  const char* v1_file;
  const char* value;     // as written to and read from v1
  const char* v2_value;  //
  std::array<const char*, 2> v2_gauges;
  std::array<const char*, 2> v1_gauges;
};
constexpr Limit kMemory{"memory",
                        "memory.max",
                        "memory.limit_in_bytes",
                        "268435456",
                        "268435456",
                        {"memory.events", "memory.peak"},
                        {"memory.oom_control", "memory.max_usage_in_bytes"}};
constexpr Limit kPids{"pids",
                      "pids.max",
                      "pids.max",
                      "64",
                      "64",
                      {"pids.events", "pids.current"},
                      {"pids.events", "pids.current"}};
constexpr Limit kCpu{"cpu",
                     "cpu.max",
                     "cpu.cfs_quota_us",
                     "50000",
                     "50000 100000",
                     {"cpu.stat", "cpu.weight"},
                     {"cpu.stat", "cpu.shares"}};

Result<> set_and_read_back(const std::string& file, std::string_view value) {
  RETURN_IF_ERROR(sys::write_existing(file, value));
  ASSIGN_OR_RETURN(const auto text, sys::read_file(file));
  if (trimmed(text) == value) return {};
  return base::fail(Code::kInternal,
                    file + " says " + std::string(trimmed(text)) + " after " + std::string(value));
}

Result<> have_files(const std::string& group, std::span<const char* const> files) {
  for (const char* file : files) RETURN_IF_ERROR(sys::open(group + "/" + file, O_RDONLY));
  return {};
}

Result<std::string> try_v1(const Host& host, const Limit& limit) {
  const std::string& hierarchy = host.cgroups.mounts.controllers.at(limit.controller);
  const std::string group = group_in(hierarchy, host);
  RETURN_IF_ERROR(sys::mkdir_if_missing(group, 0755));
  RETURN_IF_ERROR(set_and_read_back(group + "/" + limit.v1_file, limit.value));
  RETURN_IF_ERROR(have_files(group, limit.v1_gauges));
  return "v1 at " + hierarchy + ", took a limit";
}

// Whether the root would pass the controller on to groups. It is not done here: to undo it later could take
// the controller from a group made meanwhile.
Result<std::string> could_be_passed_on(const Host& host) {
  const std::string& root = host.cgroups.mounts.unified;
  RETURN_IF_ERROR(sys::open(root + "/cgroup.subtree_control", O_WRONLY));
  const bool is_real_root = ::access((root + "/cgroup.type").c_str(), F_OK) != 0;
  ASSIGN_OR_RETURN(const auto processes, sys::read_file(root + "/cgroup.procs"));
  if (is_real_root || processes.empty())
    return "v2 at " + root + ", not passed on to groups yet; Cove does it";
  return base::fail(Code::kConflict,
                    root + " holds processes itself, so it cannot pass controllers on to groups");
}

Result<std::string> try_v2(const Host& host, const Limit& limit) {
  const auto& on = host.cgroups.passed_on;
  if (std::ranges::find(on, limit.controller) == on.end()) return could_be_passed_on(host);
  RETURN_IF_ERROR(make_unified_group(host));
  const std::string group = group_in(host.cgroups.mounts.unified, host);
  RETURN_IF_ERROR(set_and_read_back(group + "/" + limit.v2_file, limit.v2_value));
  RETURN_IF_ERROR(have_files(group, limit.v2_gauges));
  return "v2 at " + host.cgroups.mounts.unified + ", took a limit";
}

template <const Limit& L>
Result<std::string> try_limit(const Host& host) {
  switch (place_of(host.cgroups, L.controller)) {
    case Place::kV1:
      return try_v1(host, L);
    case Place::kV2:
      return try_v2(host, L);
    case Place::kNowhere:
      break;
  }
  return base::fail(Code::kUnsupported, std::string("no ") + L.controller + " controller where it is needed");
}

// Without a limit on memory and swap together, what exceeds the memory limit goes to swap instead of ending.
Outcome look_at_swap_limit(const Host& host) {
  if (parse_swaps(sys::read_file("/proc/swaps").value_or("")).empty())
    return {Status::kOk, "no swap to limit"};
  switch (place_of(host.cgroups, "memory")) {
    case Place::kNowhere:
      return {Status::kUnknown, "no memory controller"};
    case Place::kV2:
      return {Status::kOk, "part of v2"};
    case Place::kV1:
      break;
  }
  const std::string file = host.cgroups.mounts.controllers.at("memory") + "/memory.memsw.limit_in_bytes";
  const bool there = ::access(file.c_str(), F_OK) == 0;
  return there ? Outcome{Status::kOk, file} : Outcome{Status::kWeak, "there is swap, and no " + file};
}

// Only asks whether the option is known; nothing is mounted, and the hierarchy stays as it is.
Result<std::string> try_favordynmods(const Host& host) {
  if (host.cgroups.favordynmods) return "switched on";
  const sys::UniqueFd fs(::fsopen("cgroup2", FSOPEN_CLOEXEC));
  if (!fs) return base::failed_call("fsopen(cgroup2)");
  if (::fsconfig(fs.get(), FSCONFIG_SET_FLAG, "favordynmods", nullptr, 0) != 0) {
    return base::failed_call("fsconfig(cgroup2, favordynmods)");
  }
  return "known to the kernel; Cove switches it on";
}

void remove_group(const std::string& path) {
  (void)sys::write_existing(path + "/cgroup.kill", "1");
  // The dead leave the group a moment after they are gone.
  for (int tries = 0; tries < 500 && ::rmdir(path.c_str()) != 0 && errno == EBUSY; ++tries) {
    const timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

void remove_scratch_groups(const Host& host) {
  const auto& mounts = host.cgroups.mounts;
  if (!mounts.unified.empty()) remove_group(group_in(mounts.unified, host));
  for (const auto& [controller, hierarchy] : mounts.controllers) remove_group(group_in(hierarchy, host));
}

constexpr Check limited(const char* id, const char* why, Attempt attempt) {
  return {.id = id,
          .level = Level::kRequired,
          .needed = "the controller, in v2 or with the others in v1, takes a limit",
          .why = why,
          .fix = kEnableFix,
          .attempt = attempt,
          .tidy = remove_scratch_groups};
}

constexpr std::array kChecks = {
    Check{.id = "cgroup.unified",
          .level = Level::kRequired,
          .needed = "a cgroup2 hierarchy, with or without v1 beside it",
          .why = "processes are born into groups and killed by group there",
          .fix = "mount -t cgroup2 none /sys/fs/cgroup (or /sys/fs/cgroup/unified where v1 is in use)",
          .look = look_at_unified},
    Check{.id = "cgroup.kill",
          .level = Level::kRequired,
          .needed = "cgroup.kill in a writable unified hierarchy",
          .why = "a run that is over is ended whole, with what it left in the background",
          .fix = "Linux 5.14 or later, and a cgroup mount that is not read-only",
          .attempt = try_kill,
          .tidy = remove_scratch_groups},
    Check{.id = "clone3.into_cgroup",
          .level = Level::kRequired,
          .needed = "clone3 with CLONE_INTO_CGROUP",
          .why = "no process of a sandbox runs outside its limits, not even for a moment",
          .fix = "Linux 5.7 or later, and no seccomp filter that refuses clone3",
          .attempt = try_clone_into,
          .tidy = remove_scratch_groups},
    limited("cgroup.memory", "a sandbox cannot take the machine's memory", try_limit<kMemory>),
    limited("cgroup.pids", "a fork bomb stays in its sandbox", try_limit<kPids>),
    limited("cgroup.cpu", "an endless loop takes its share of the processors only", try_limit<kCpu>),
    Check{.id = "cgroup.swap",
          .level = Level::kAdvised,
          .needed = "no swap, or a limit on it",
          .why = "a sandbox past its memory limit would fill the machine's swap",
          .fix = "boot with swapaccount=1, or use cgroup v2, or swapoff -a",
          .look = look_at_swap_limit},
    Check{.id = "cgroup.favordynmods",
          .level = Level::kRequired,
          .needed = "a kernel that knows the mount option",
          .why = "without it, moving a process into a group waits some 20 ms for the other processors",
          .fix = "Linux 6.0 or later",
          .attempt = try_favordynmods},
};

}  // namespace

std::span<const Check> cgroup_checks() { return kChecks; }

}  // namespace doctor
