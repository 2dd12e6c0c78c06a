#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/ids.h"
#include "base/paths.h"
#include "sys/file.h"

namespace spawner {

using base::Result;

// The file system that holds one sandbox's own layer.
struct Disk {
  sys::UniqueFd mount;  // detached; a step of the jail attaches it
  // What the spawner keeps until the sandbox is gone; the kernel frees everything without it, too, but then
  // in the last process's own time.
  sys::UniqueFd hold;
};

// Where the sandboxes' disks come from. One backend is chosen when the spawner starts; nothing that
// a sandbox has put on a disk is there for the next. Single-threaded: what is slow happens in children
// (chore.h).
class Disks {
 public:
  virtual ~Disks() = default;

  virtual std::string_view name() const = 0;
  // What a sandbox gets that asks for no size.
  virtual std::uint64_t default_bytes(std::uint64_t memory_bytes) const = 0;
  // Whether this size can be had at all with this much memory.
  virtual Result<> check(std::uint64_t bytes, std::uint64_t memory_bytes) const = 0;
  // A fresh disk of this size, its space reserved. kExhausted: the host has no room for it.
  virtual Result<Disk> take(const base::SandboxId& id, std::uint64_t bytes) = 0;
  // After the sandbox's last process; `hold` is empty for one that an earlier spawner made.
  virtual void give_back(const base::SandboxId& id, sys::UniqueFd hold) = 0;
  // Removes what belongs to none of these: the remains of an earlier spawner.
  virtual Result<> reconcile(const std::set<std::string>& living) = 0;

  // Background work: what to poll for reading, and what to do when something is ready or time has passed.
  virtual std::vector<int> waits() const { return {}; }
  virtual void tend() {}
  // For people: what is ready and what waits.
  virtual std::string state() const { return {}; }
};

struct ChosenDisks {
  std::unique_ptr<Disks> disks;
  std::string refusals;  // why the backends that come before it are not used; empty: none does
};

// The one that the configuration names, or the first that works here: quota, loop, tmpfs.
Result<ChosenDisks> choose_disks(const base::DiskConfig& config, const base::Paths& paths);

// One factory per backend; the error says why it cannot be used here.
Result<std::unique_ptr<Disks>> make_quota_disks(const base::DiskConfig& config, const base::Paths& paths);
Result<std::unique_ptr<Disks>> make_loop_disks(const base::DiskConfig& config, const base::Paths& paths);
Result<std::unique_ptr<Disks>> make_tmpfs_disks(const base::DiskConfig& config, const base::Paths& paths);

// kExhausted, in words, unless the host keeps its reserve after giving this much.
Result<> check_room(const base::Paths& paths, std::uint64_t bytes, std::uint64_t reserve);

}  // namespace spawner
