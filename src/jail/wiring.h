#pragma once

#include <linux/filter.h>

#include <string>
#include <vector>

#include "jail/machine.h"
#include "sys/cgroup.h"
#include "sys/fd.h"

namespace jail {

// Made once when the spawner starts and used by every sandbox.
struct Materials {
  sys::UniqueFd init_program;  // sealed memfd, execute-only
  std::vector<sock_filter> abi_gate;
  std::vector<sock_filter> init_filter;
  std::vector<sock_filter> zygote_filter;
  std::string enter_library;  // what a zygote lets newcomers into sandboxes with: the bytes of cove-enter.so
  sys::UniqueFd user_filter;  // sealed memfds that init installs on what it starts
  sys::UniqueFd user_no_setid_filter;
  sys::UniqueFd root_filter;
  std::string user_filter_hash;
  std::string user_no_setid_filter_hash;
  std::string root_filter_hash;
  Host host;
  std::string
      stage;  // an empty directory; each helper mounts its staging area over it, in its own mount namespace
};

// The descriptors one sandbox is built with. The steps borrow them.
struct Wiring {
  const Materials* materials = nullptr;
  sys::CgroupGroup group;
  int nursery = -1;  // user namespace
  int id_map = -1;   // user namespace that says how on-disk ids appear inside
  sys::UniqueFd network;
  sys::UniqueFd leash;  // read end: hangs up when the sandbox is handed out
  sys::UniqueFd disk;   // a detached mount for the sandbox's own layer
  sys::UniqueFd listener;
  sys::UniqueFd workspace;         // a detached mount of the directory on the host
  sys::UniqueFd workspace_id_map;  // its owner appears as the sandbox's user
  int process_filter = -1;
  sys::UniqueFd channel;  // a zygote's alone: to the spawner
};

// Where init finds its descriptors: the only ones that a sandbox's pid 1 keeps of the host.
enum InitFd : int {
  kListenerFd = 3,
  kCgroupFd = 4,
  kOomFd = 5,
  kOomNotifyFd = 6,
  kMemoryPeakFd = 7,
  kPidsFd = 8,
  kProcessFilterFd = 9,
  kLeashFd = 10,
  kFirstFreeFd = 11,
};

}  // namespace jail
