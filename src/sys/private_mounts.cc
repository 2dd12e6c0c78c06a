#include "sys/private_mounts.h"

#include <sched.h>

#include "sys/mount.h"
#include "sys/process.h"

namespace sys {

namespace {

// pivot_root and changes of propagation need a / that is a mount. From a chroot, the way there leads over the
// true root of the namespace, which setns gives back even into the namespace that we are in.
Result<> leave_chroot() {
  ASSIGN_OR_RETURN(const auto here, open("/", O_PATH | O_DIRECTORY));
  ASSIGN_OR_RETURN(const auto space, open("/proc/self/ns/mnt", O_RDONLY));
  RETURN_IF_ERROR(setns(space.get(), CLONE_NEWNS));
  RETURN_IF_ERROR(make_slave_recursive());
  ASSIGN_OR_RETURN(const auto tree, clone_mount_tree(here.get(), ""));
  RETURN_IF_ERROR(attach_mount(tree.get(), here.get(), "."));
  RETURN_IF_ERROR(pivot_root_here(tree.get()));
  RETURN_IF_ERROR(detach_mount("."));
  return chdir("/");
}

}  // namespace

Result<> enter_private_mounts() {
  RETURN_IF_ERROR(unshare(CLONE_NEWNS));
  ASSIGN_OR_RETURN(const bool is_mount, is_mount_root("/"));
  return is_mount ? make_slave_recursive() : leave_chroot();
}

}  // namespace sys
