#pragma once

#include <linux/filter.h>

#include <optional>
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
  Leaf leaf;
  sys::Clone process = {};
  sys::UniqueFd input = {};  // our end; none when the process has no input
  sys::UniqueFd output = {};
  sys::UniqueFd error = {};
  sys::UniqueFd runtime = {};  // our end of a runtime's channel
};

// For what a process writes. Ours is the end that does not block.
Result<sys::Pipe> make_output_pipe();

// The kernel's killer takes a sandbox's processes before init and before anything of the host. For a process
// just forked from init, before it becomes the user.
Result<> volunteer_for_oom();

// Becomes the sandbox's user for good: ids, capabilities, filter. For a process just forked from init.
Result<> become(wire::init::User user, const LaunchPolicy& policy);

// Starts programs, each in a leaf of its own. The kernel takes half a millisecond to install a filter; in a
// sandbox that waits for its user the first process is therefore born ahead, up to its exec. Only the first:
// once foreign code runs under the same id, it could meddle with one that waits.
class Launcher {
 public:
  // `group` is the sandbox's directory in the unified hierarchy.
  Launcher(int group, LaunchPolicy policy) : group_(group), policy_(std::move(policy)) {}

  const LaunchPolicy& policy() const { return policy_; }
  Result<> prepare_first();
  // It is not needed: it begins to end, and has ended when give_up_first returns or anything is launched.
  void dismiss_first();
  void give_up_first();
  // Return after the exec, or with what failed before it.
  Result<Launched> launch(const wire::init::Start& start);
  // A runtime gets its end of a channel besides; its number is in COVE_CHANNEL.
  Result<Launched> launch(const wire::init::StartContext& start);
  Result<Leaf> make_leaf();

 private:
  // Born, and waiting for its order.
  struct Standby {
    Launched launched;
    sys::UniqueFd order;
    sys::UniqueFd misfortune;
  };
  struct Births;

  static void give_up(Standby& first);
  Result<Births> make_births();
  Result<Births> make_births_on_terminal(const wire::init::Start& start);
  // For a runtime.
  Result<Births> make_births_with_channel();
  template <class Start>
  Result<std::optional<Launched>> launch_first(const Start& start);
  Result<Launched> launch_now(const wire::init::Start& start, Births births);

  int group_;
  LaunchPolicy policy_;
  std::optional<Standby> first_;
  std::optional<Standby> dismissed_;
  std::uint64_t leaves_ = 0;
};

}  // namespace init
