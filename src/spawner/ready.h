#pragma once

#include <deque>
#include <list>
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
  wire::spawner::Create shape;     // what it was made for
  std::uint64_t memory_bytes = 0;  // that it takes while it waits
  bool is_idle = false;            // made while others were served, and so after them
  bool is_furnished = true;        // has what its shape asks for
};

// One that is being built: what it will be, but for its pid 1.
struct Making {
  Ready ready;
  jail::Building building;
};

bool is_same(const wire::spawner::Create& one, const wire::spawner::Create& other);

// Sandboxes made ahead, for the kinds of request that came more than once. Each is handed out once, to
// whoever asks for exactly the same; none is ever used again. All kinds share the room, and the one that was
// asked for last is made first.
class ReadySandboxes {
 public:
  struct Room {
    std::size_t most = 0;
    std::uint64_t memory_bytes = 0;
  };
  static constexpr std::size_t kMostKinds = 4;
  // A kind that was not asked for during so many requests is forgotten.
  static constexpr std::uint64_t kForgotten = 200;

  explicit ReadySandboxes(Room room) : room_(room) {}

  // Takes note of what is asked for. What was made for a kind that is forgotten is given up.
  std::vector<Ready> notice(const wire::spawner::Create& request);
  std::optional<Ready> take(const wire::spawner::Create& request);
  // What to make next, with so many under way; nothing: there is enough, or no room.
  const wire::spawner::Create* wanted(std::size_t under_way) const;
  // At the rate at which they go now there will be none soon.
  bool runs_low() const;
  bool empty() const { return count() == 0; }
  void put(Ready ready);
  // One that still lacks what is to wait in it.
  bool has_unfurnished() const;
  std::optional<Ready> take_unfurnished();
  // None of those that are there is given up: another one could not be made.
  void want_no_more(const wire::spawner::Create& shape);
  std::vector<Ready> give_up();
  // Those of one template.
  std::vector<Ready> give_up(std::string_view root);

  // How many of those that wait use each CPU.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Kind& kind : kinds_) {
      for (const Ready& ready : kind.ready) visit(ready);
    }
  }

 private:
  struct Kind {
    wire::spawner::Create shape;
    bool wanted = false;
    std::uint64_t last_asked = 0;
    std::deque<Ready> ready = {};

    std::uint64_t memory() const;
  };
  using Kinds = std::list<Kind>;

  Kinds::iterator find(const wire::spawner::Create& request);
  std::size_t count() const;
  std::uint64_t memory() const;
  std::size_t sharers() const;
  // Of the room, with what others want as well.
  std::size_t share() const;
  std::uint64_t memory_share() const;
  // What a kind has beyond its share, since others want theirs.
  void trim(std::vector<Ready>& given_up);
  void forget_one(std::vector<Ready>& given_up);
  template <class Predicate>
  std::vector<Ready> give_up_if(Predicate predicate);

  const Room room_;
  Kinds kinds_;  // the one asked for last first
  std::uint64_t asked_ = 0;
};

}  // namespace spawner
