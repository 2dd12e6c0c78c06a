#include "sys/user_namespace.h"

#include <linux/capability.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/caps.h"
#include "sys/process.h"
#include "sys/retry.h"
#include "sys/socket.h"

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

// A descriptor of the namespace of a child, which is needed no longer than that.
Result<UniqueFd> take_namespace(const Clone& child, const IdMap& users, const IdMap& groups) {
  auto space = [&]() -> Result<UniqueFd> {
    RETURN_IF_ERROR(write_maps(child.pid, users, groups));
    return open("/proc/" + std::to_string(child.pid) + "/ns/user", O_RDONLY);
  }();
  RETURN_IF_ERROR(pidfd_kill(child.pidfd.get(), SIGKILL));
  RETURN_IF_ERROR(wait_pidfd(child.pidfd.get()));
  return space;
}

// With CAP_SYS_ADMIN: some kernels let nobody else make user namespaces.
Result<> enter_own_namespace(uid_t maker) {
  RETURN_IF_ERROR(keep_capabilities());
  RETURN_IF_ERROR(set_ids(maker, maker));
  RETURN_IF_ERROR(set_capabilities(cap(CAP_SYS_ADMIN), cap(CAP_SYS_ADMIN), 0));
  return unshare(CLONE_NEWUSER);
}

// Says how it went, an errno, and then only holds the namespace until the parent hangs up.
[[noreturn]] void hold_own_namespace(uid_t maker, int parent) {
  const auto entered = enter_own_namespace(maker);
  int said = entered ? 0 : entered.error().sys_errno;
  const ssize_t n = retry([&] { return ::write(parent, &said, sizeof said); });
  if (n == sizeof said) (void)!::read(parent, &said, sizeof said);
  ::_exit(0);
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
  return take_namespace(child, users, groups);
}

Result<UniqueFd> make_user_namespace_by(uid_t maker, const IdMap& map) {
  ASSIGN_OR_RETURN(auto line, make_socket_pair(SOCK_STREAM));
  ASSIGN_OR_RETURN(const auto child, clone_process({}));
  if (child.is_child()) {
    line.ours.reset();
    hold_own_namespace(maker, line.theirs.get());
  }
  line.theirs.reset();
  int said = ECONNRESET;
  const ssize_t n = retry([&] { return ::read(line.ours.get(), &said, sizeof said); });
  if (n < 0) said = errno;
  if (said == 0) return take_namespace(child, map, map);
  // It may still wait for us to hang up.
  RETURN_IF_ERROR(pidfd_kill(child.pidfd.get(), SIGKILL));
  RETURN_IF_ERROR(wait_pidfd(child.pidfd.get()));
  return base::failed_call("unshare(a user namespace of id " + std::to_string(maker) + ")", said);
}

}  // namespace sys
