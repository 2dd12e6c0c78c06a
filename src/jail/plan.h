// jail: how a sandbox is built. Three storeys that never mix:
//   plan   (this file): a Spec becomes a Plan, plain data, without one system call. What a sandbox may see
//   and do
//          is decided here and unit-tested without root.
//   steps  (host_steps.cc, inside_steps.cc): two tables of named steps that carry a Plan out. Read top to
//   bottom they
//          are the security argument. Each step succeeds or stops everything with its name; none is
//          best-effort.
//   calls  (sys::): one system call each.
// The first table runs as root in a helper that the spawner clones into the sandbox's cgroup: it builds the
// mount tree, then enters the nursery and makes the network namespace there. The second runs as pid 1 of the
// sandbox and ends by executing cove-init from a sealed memfd.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "jail/machine.h"
#include "sys/caps.h"
#include "sys/cgroup.h"
#include "sys/user_namespace.h"
#include "wire/spawner_messages.h"

namespace jail {

using base::Result;
using wire::spawner::Access;
using wire::spawner::Mode;
using wire::spawner::RootKind;

// Ids inside every sandbox. init has one of its own, so that no process it starts may touch it.
constexpr std::uint32_t kRootId = 0;
constexpr std::uint32_t kUserId = 1000;
constexpr std::uint32_t kInitId = 65533;
constexpr std::uint32_t kTtyGroup = 5;
constexpr std::uint32_t kBlockSize = 65536;

// What is asked for, already checked for sense by the caller.
struct Spec {
  base::SandboxId id;
  RootKind root_kind = RootKind::kTemplate;
  std::string root;  // directory on the host
  Mode mode = Mode::kUser;
  sys::CgroupLimits limits;
  Machine machine;
  Access workspace = Access::kNone;
  std::uint32_t first_id =
      0;  // the host id that is 0 inside; kBlockSize ids from here are the sandbox's alone
  std::uint32_t init_id = kInitId;
};

struct Device {
  const char* name;
  unsigned major;
  unsigned minor;
};
struct DeviceLink {
  const char* name;
  const char* target;
};
struct Sysctl {
  const char* path;  // below /proc/sys
  const char* value;
};
struct Rlimit {
  int resource;
  std::uint64_t soft;
  std::uint64_t hard;
};

// What a process that init starts is: its capabilities, and the filter on top of init's own.
struct ProcessPolicy {
  sys::CapMask user_capabilities = 0;
  sys::CapMask root_capabilities = 0;
};

struct Plan {
  // The file system.
  RootKind root_kind = RootKind::kTemplate;
  std::string root;
  std::uint64_t shm_bytes = 0;
  std::vector<std::string> mount_points;
  std::vector<StaticFile> identity_files;  // written into the sandbox's own layer
  std::vector<Device> devices;
  std::vector<DeviceLink> device_links;
  std::vector<StaticFile> sys_files;
  std::vector<const char*> hidden_in_proc;  // an empty file or directory lies on top
  std::vector<const char*> read_only_in_proc;
  std::vector<StaticFile> replaced_in_proc;
  std::string hide_processes = "invisible";  // procfs option hidepid: those of other ids
  Access workspace = Access::kNone;

  // Who.
  std::uint32_t first_id = 0;
  sys::IdMap ids;
  std::uint32_t init_id = kInitId;
  std::string hostname;
  std::uint64_t namespaces = 0;
  sys::CapMask bounding = 0;
  sys::CapMask init_capabilities = 0;
  unsigned securebits = 0;
  ProcessPolicy process;

  // How much.
  std::vector<Sysctl> user_limits;  // per user namespace
  std::vector<Rlimit> rlimits;
  sys::CpuNumbers cpus;
};

Plan make_plan(const Spec& spec);

}  // namespace jail
