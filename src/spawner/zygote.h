#pragma once

#include <chrono>
#include <span>

#include "base/ids.h"
#include "base/paths.h"
#include "jail/wiring.h"
#include "spawner/nurseries.h"
#include "sys/cgroup.h"
#include "sys/process.h"

namespace spawner {

// One zygote, seen from the spawner: a process that imports packages and then bears newcomers. What it says
// is not believed; what it does not do in time ends it.
class Zygote {
 public:
  using Clock = std::chrono::steady_clock;

  struct Parts {
    const base::Paths& paths;
    const jail::Materials& materials;
    sys::CgroupTree& cgroups;
    IdBlocks& blocks;
  };
  // In a group of its own, which whoever drops a zygote has to end; also when it could not be started.
  explicit Zygote(std::uint32_t slot) : id_(base::SandboxId::random()), slot_(slot) {}
  Result<> start(const Parts& parts, const std::string& root, const Nursery& nursery);

  // Without haste it imports and bears when nobody else wants the CPU: so it begins.
  enum class Haste { kNone, kSome };
  Result<> set_haste(const Parts& parts, Haste haste);

  const base::SandboxId& id() const { return id_; }
  std::uint32_t slot() const { return slot_; }
  int fd() const { return channel_.get(); }
  sys::UniqueFd take_pidfd() { return std::move(process_.pidfd); }
  bool is_ready() const { return is_ready_; }
  // Takes note of what it says. An error: it is of no use any more, and why.
  Result<> listen();
  // It bears nobody any more: the next time that it is listened to, it is of no use.
  void condemn() { is_condemned_ = true; }
  // Asks for a newcomer, with the descriptors of wire::zygote::CallFd.
  Result<> call(std::uint32_t stream, std::span<const int> fds) const;

 private:
  base::Error how_it_ended() const;

  base::SandboxId id_;  // names its group
  std::uint32_t slot_;
  sys::Clone process_;
  sys::UniqueFd channel_;
  Clock::time_point deadline_;
  Haste haste_ = Haste::kNone;
  bool is_ready_ = false;
  bool is_condemned_ = false;
};

}  // namespace spawner
