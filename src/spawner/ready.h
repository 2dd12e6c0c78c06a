#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "jail/builder.h"
#include "spawner/endings.h"
#include "spawner/records.h"
#include "sys/affinity.h"
#include "wire/spawner_messages.h"

namespace spawner {

// A sandbox that this spawner made, or found alive when it started.
struct Sandbox {
  Record record;
  sys::UniqueFd pidfd;  // of its pid 1
  sys::CpuNumbers cpus;
  sys::UniqueFd disk;  // goes back when it is gone; empty for one that was found alive
};

struct Created {
  base::SandboxId id;
  std::string socket;
  std::string seccomp;
  std::uint64_t disk_bytes = 0;
  std::vector<jail::StepDuration> steps;
};

// A complete sandbox that nobody has asked for yet. Its init waits without a deadline while the leash is
// held: who gets it, or the end of this spawner, lets go.
struct Ready {
  Sandbox sandbox;
  Created created;
  sys::UniqueFd leash;
  bool is_idle = false;  // made while others were served, and so after them
};

// One that is being built: what it will be, but for its pid 1.
struct Making {
  Ready ready;
  jail::Building building;
};

// Sandboxes made ahead for the kind of request that came twice running. Each is handed out once, to whoever
// asks for exactly the same; none is ever used again.
class ReadySandboxes {
 public:
  explicit ReadySandboxes(std::size_t most) : most_(most) {}

  // Takes note of what is asked for. What was made for something else is given up.
  std::vector<Ready> notice(const wire::spawner::Create& request);
  std::optional<Ready> take(const wire::spawner::Create& request);
  bool is_for(const wire::spawner::Create& request) const;
  bool wants_more() const { return wanted_ && ready_.size() < most_; }
  // At the rate at which they go now there will be none soon.
  bool runs_low() const { return wanted_ && ready_.size() < 2; }
  const wire::spawner::Create& shape() const { return shape_; }
  const std::deque<Ready>& all() const { return ready_; }
  void put(Ready ready) { ready_.push_back(std::move(ready)); }
  // None of those that are there is given up: another one could not be made.
  void want_no_more() { wanted_ = false; }
  std::vector<Ready> give_up();

 private:
  const std::size_t most_;
  wire::spawner::Create shape_;
  bool wanted_ = false;
  std::deque<Ready> ready_;
};

}  // namespace spawner
