#pragma once

#include <deque>
#include <map>
#include <vector>

#include "base/ids.h"
#include "base/paths.h"
#include "spawner/nurseries.h"
#include "sys/cgroup.h"

namespace spawner {

// A place for a sandbox to be: what every one needs whatever is asked of it. A name, a block of ids, a group
// (without limits yet), a control socket, a network namespace of its nursery.
struct Berth {
  base::SandboxId id;
  std::uint32_t first_id = 0;
  sys::CgroupGroup group;
  sys::UniqueFd listener;
  sys::UniqueFd network;
  sys::UniqueFd disk;  // what is to be given back, once it has one
};

// What there is of a berth that could not be completed, or is not wanted any more.
struct Remains {
  base::SandboxId id;
  std::uint32_t first_id = 0;
};

// Berths are made ahead, one at a time while nobody asks for anything, for the nurseries that had the last
// requests: making one takes as long as the rest of a sandbox. None is ever used twice.
class Berths {
 public:
  static constexpr std::size_t kAhead = 2;  // per nursery

  Berths(const base::Paths& paths, sys::CgroupTree& cgroups, IdBlocks& blocks, uid_t client = 0);

  // One made ahead, or a new one.
  Result<Berth> take(const Nursery& nursery);
  // True when another one should be made for the nursery.
  bool wants_more(const Nursery& nursery) const;
  Result<> prepare(const Nursery& nursery);
  // Those that were made ahead for this slot.
  std::vector<Remains> give_up(std::uint32_t slot);
  std::vector<Remains> give_up_all();
  // What failed attempts left; the caller ends them like sandboxes.
  std::vector<Remains> take_failures();

 private:
  Result<Berth> make(const Nursery& nursery);
  Result<> furnish(Berth& berth, const Nursery& nursery);

  const base::Paths& paths_;
  sys::CgroupTree& cgroups_;
  IdBlocks& blocks_;
  const uid_t client_;                                // whom control sockets belong to
  std::map<std::uint32_t, std::deque<Berth>> ready_;  // by slot
  std::vector<Remains> failures_;
};

}  // namespace spawner
