#include "spawner/berths.h"

#include <sys/socket.h>

#include <utility>

#include "jail/network.h"
#include "jail/tables.h"
#include "spawner/records.h"
#include "sys/socket.h"

namespace spawner {

Berths::Berths(const base::Paths& paths, sys::CgroupTree& cgroups, IdBlocks& blocks, uid_t client)
    : paths_(paths), cgroups_(cgroups), blocks_(blocks), client_(client) {}

Result<Berth> Berths::take(const Nursery& nursery) {
  if (ready_[nursery.slot].empty()) RETURN_IF_ERROR(prepare(nursery));
  auto& ready = ready_[nursery.slot];
  Berth berth = std::move(ready.front());
  ready.pop_front();
  return berth;
}

bool Berths::wants_more(const Nursery& nursery) const {
  const auto found = ready_.find(nursery.slot);
  return found == ready_.end() || found->second.size() < kAhead;
}

Result<> Berths::prepare(const Nursery& nursery) {
  ASSIGN_OR_RETURN(auto berth, make(nursery));
  ready_[nursery.slot].push_back(std::move(berth));
  return {};
}

Result<Berth> Berths::make(const Nursery& nursery) {
  Berth berth{.id = base::SandboxId::random()};
  ASSIGN_OR_RETURN(berth.first_id, blocks_.take_block(nursery.slot));
  if (auto furnished = furnish(berth, nursery); !furnished) {
    failures_.push_back({.id = berth.id, .first_id = berth.first_id});
    return std::unexpected(std::move(furnished).error());
  }
  return berth;
}

Result<> Berths::furnish(Berth& berth, const Nursery& nursery) {
  RETURN_IF_ERROR(blocks_.id_map(berth.first_id));
  // The name first: whoever finds the group finds out that it belongs to nobody yet.
  const std::string path = ahead_path(paths_, berth.id);
  ASSIGN_OR_RETURN(berth.listener, sys::listen_unix(path, SOCK_STREAM));
  if (client_ != 0) RETURN_IF_ERROR(sys::fchownat(AT_FDCWD, path, client_, static_cast<gid_t>(-1)));
  ASSIGN_OR_RETURN(berth.group, cgroups_.create(berth.id.text()));
  const auto sysctls = jail::network_sysctl_table();
  ASSIGN_OR_RETURN(berth.network,
                   jail::make_network(nursery.user_namespace.get(), {sysctls.begin(), sysctls.end()}));
  return {};
}

std::vector<Remains> Berths::give_up(std::uint32_t slot) {
  std::vector<Remains> given_up;
  if (const auto found = ready_.find(slot); found != ready_.end()) {
    for (const Berth& berth : found->second) given_up.push_back({berth.id, berth.first_id});
    ready_.erase(found);
  }
  return given_up;
}

std::vector<Remains> Berths::give_up_all() {
  std::vector<Remains> given_up;
  for (const auto& [slot, berths] : ready_) {
    for (const Berth& berth : berths) given_up.push_back({berth.id, berth.first_id});
  }
  ready_.clear();
  return given_up;
}

std::vector<Remains> Berths::take_failures() { return std::exchange(failures_, {}); }

}  // namespace spawner
