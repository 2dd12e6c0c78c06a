#include "sys/user_namespace.h"

#include <unistd.h>

#include "sys/process.h"

namespace sys {

namespace {
std::string line_of(const IdMap& map) {
  return std::to_string(map.inside) + " " + std::to_string(map.outside) + " " + std::to_string(map.count);
}

Result<> write_maps(pid_t pid, const IdMap& users, const IdMap& groups) {
  const std::string proc = "/proc/" + std::to_string(pid);
  RETURN_IF_ERROR(write_existing(proc + "/uid_map", line_of(users)));
  return write_existing(proc + "/gid_map", line_of(groups));
}
}  // namespace

Result<> write_id_maps(pid_t pid, const IdMap& map) { return write_maps(pid, map, map); }

Result<UniqueFd> make_user_namespace(const IdMap& map) { return make_user_namespace(map, map); }

Result<UniqueFd> make_user_namespace(const IdMap& users, const IdMap& groups) {
  const pid_t parent = ::getpid();
  ASSIGN_OR_RETURN(const auto child, clone_process({.flags = CLONE_NEWUSER}));
  if (child.is_child()) {
    // It only holds the namespace until the parent has a descriptor of it, and does not outlive the parent,
    // not even one that was gone before the first call here.
    if (!set_death_signal(SIGKILL) || ::getppid() != parent) ::_exit(1);
    while (true) ::pause();
  }
  auto space = [&]() -> Result<UniqueFd> {
    RETURN_IF_ERROR(write_maps(child.pid, users, groups));
    return open("/proc/" + std::to_string(child.pid) + "/ns/user", O_RDONLY);
  }();
  RETURN_IF_ERROR(pidfd_kill(child.pidfd.get(), SIGKILL));
  RETURN_IF_ERROR(wait_pidfd(child.pidfd.get()));
  return space;
}

}  // namespace sys
