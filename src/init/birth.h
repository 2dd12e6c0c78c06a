// What a process forked from init does until it is somebody else's program. Child side only: the parent's
// side is launch.
#pragma once

#include "init/launch.h"

namespace init {

// The child's ends of what connects it with init.
struct Ends {
  sys::UniqueFd input;  // none: it reads from /dev/null
  sys::UniqueFd output;
  sys::UniqueFd error;
  sys::UniqueFd misfortune;
  sys::UniqueFd runtime;  // only a runtime keeps it
  sys::UniqueFd order;    // only a standby has one
};

std::uint32_t id_of(wire::init::User user);

// Both end with the exec, or tell misfortune why it did not come to that.
[[noreturn]] void be_born(const wire::init::Start& start, const LaunchPolicy& policy, Ends ends);
// As the sandbox's user, whatever the order then says. Without an order it ends silently.
[[noreturn]] void be_born_ahead(const LaunchPolicy& policy, Ends ends);

// What an order takes at most: a pipe holds it, so that giving it never waits.
constexpr std::size_t kLargestOrder = 32 << 10;

// Waits for the exec of the child whose misfortune comes through this pipe.
Result<> await_exec(int misfortune);

// A runtime is a process with one more descriptor, whose number is in its environment.
wire::init::Start process_of(const wire::init::StartContext& start);

}  // namespace init
