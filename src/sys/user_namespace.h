#pragma once

#include <sys/types.h>

#include <cstdint>

#include "sys/file.h"

namespace sys {

// `count` ids starting at `inside` are those starting at `outside` in the parent namespace.
struct IdMap {
  std::uint32_t inside = 0;
  std::uint32_t outside = 0;
  std::uint32_t count = 0;
};

// Writes uid_map and gid_map of a process in a fresh user namespace. The caller is in the parent namespace.
Result<> write_id_maps(pid_t pid, const IdMap& map);

// A user namespace with this map and no process in it; it lives as long as the descriptor.
Result<UniqueFd> make_user_namespace(const IdMap& map);
// The same, made by this id instead of root's: what the kernel counts by user (inotify instances, pending
// signals, message queues) is counted there for everything below, and the host's root keeps its own.
Result<UniqueFd> make_user_namespace_by(uid_t maker, const IdMap& map);
// The same with a map for groups that is not the users'.
Result<UniqueFd> make_user_namespace(const IdMap& users, const IdMap& groups);

}  // namespace sys
