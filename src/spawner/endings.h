#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/paths.h"
#include "sys/cgroup.h"

namespace spawner {

using base::Result;

// A sandbox, or what was made of one, on its way out.
struct Ending {
  base::SandboxId id;
  std::optional<std::uint32_t> first_id;  // its block of ids, to be given back
  sys::UniqueFd pidfd;                    // of its pid 1, when it got that far
  sys::UniqueFd disk;                     // to be given back, when it had one
};

// Sandboxes that are killed and not yet gone. The kernel takes milliseconds to dissolve one; nobody waits for
// it: when its group is empty and its pid 1, whose end is the last, has been reaped, the traces go. What
// cannot be removed is tried again.
class Endings {
 public:
  using Clock = std::chrono::steady_clock;

  Endings(const base::Paths& paths, sys::CgroupTree& cgroups) : paths_(paths), cgroups_(cgroups) {}

  // Kills it. What cannot be killed now is tried again; it is in the books in any case.
  void begin(Ending ending);
  // What to wait on: a group's news wakes the poll.
  void add_polls(std::vector<pollfd>& polls) const;
  // Removes every trace of those whose processes are gone, and tells which these are.
  std::vector<Ending> collect_gone();

  bool empty() const { return under_way_.empty(); }
  std::size_t size() const { return under_way_.size(); }
  bool contains(const base::SandboxId& id) const { return under_way_.contains(id); }

 private:
  struct UnderWay {
    Ending ending;
    bool killed = false;
    sys::UniqueFd news;          // cgroup.events; none when there was no group
    Clock::time_point retry_at;  // not before: something failed
  };
  Result<> kill(UnderWay& one);
  static Result<bool> is_over(const UnderWay& one);
  Result<> erase_traces(const base::SandboxId& id);

  const base::Paths& paths_;
  sys::CgroupTree& cgroups_;
  std::map<base::SandboxId, UnderWay> under_way_;
};

}  // namespace spawner
