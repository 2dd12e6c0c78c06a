#pragma once

#include <chrono>
#include <string>

#include "base/ids.h"
#include "spawner/zygote.h"
#include "sys/cgroup.h"
#include "sys/socket.h"

namespace spawner {

// Where a newcomer is to arrive.
struct Destination {
  base::SandboxId sandbox;
  pid_t init = 0;       // as the host sees it
  sys::UniqueFd pidfd;  // of init
  std::string socket;   // where init listens
  std::uint32_t stream = 0;
};

// A newcomer on its way from a zygote into a sandbox. Single steps, none of which waits.
class Arrival {
 public:
  using Clock = std::chrono::steady_clock;

  static Result<Arrival> begin(const Destination& to, const Zygote& from);

  int fd() const { return gate_.get(); }
  // Goes on as far as it goes now. True: it is in.
  Result<bool> go_on(const sys::CgroupTree& cgroups);
  // Whatever keeps it from there on is the sandbox's affair, and no longer the zygote's.
  bool is_born() const { return static_cast<bool>(newcomer_); }
  // Ends a newcomer that has not arrived.
  void abandon() const;

 private:
  Arrival(const Destination& to, const Zygote& from);
  Result<> take_in(const sys::PeerCredentials& newcomer, const sys::CgroupTree& cgroups);

  base::SandboxId sandbox_;
  std::string origin_;  // the zygote's group
  sys::UniqueFd gate_;
  ino_t pid_space_ = 0;
  sys::UniqueFd newcomer_;  // pidfd, once it is born
  Clock::time_point deadline_;
};

}  // namespace spawner
