#pragma once

#include <linux/filter.h>

#include <vector>

#include "init/leaf.h"
#include "sys/caps.h"
#include "sys/process.h"
#include "sys/socket.h"
#include "wire/init_messages.h"

namespace init {

// What every process that init starts is under.
struct LaunchPolicy {
  std::vector<sock_filter> filter;
  sys::CapMask user_capabilities = 0;
  sys::CapMask root_capabilities = 0;
};

struct Launched {
  sys::Clone process;
  sys::UniqueFd input;  // our end; none when the process has no input
  sys::UniqueFd output;
  sys::UniqueFd error;
  sys::UniqueFd runtime;  // our end of a runtime's channel
};

// Starts a program in the leaf. Returns after its exec, or with what failed before it.
Result<Launched> launch(const wire::init::Start& start, const LaunchPolicy& policy, const Leaf& leaf);
// The same for a runtime, which gets its end of a channel besides; its number is in COVE_CHANNEL.
Result<Launched> launch_runtime(const wire::init::StartContext& start, const LaunchPolicy& policy,
                                const Leaf& leaf);

// Becomes the sandbox's user for good: ids, capabilities, filter. For a process just forked from init.
Result<> become(wire::init::User user, const LaunchPolicy& policy);

}  // namespace init
