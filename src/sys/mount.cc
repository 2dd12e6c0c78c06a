#include "sys/mount.h"

#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace sys {

using base::failed_call;

namespace {
Result<> fsconfig(int fs, unsigned command, const char* key, const char* value) {
  if (::syscall(SYS_fsconfig, fs, command, key, value, 0) == 0) return {};
  return failed_call(std::string("fsconfig(") + (key != nullptr ? key : "create") +
                     (value != nullptr ? std::string("=") + value : "") + ")");
}

Result<> mount_setattr(int mount, mount_attr attr, const char* what) {
  if (::syscall(SYS_mount_setattr, mount, "", AT_EMPTY_PATH, &attr, sizeof attr) == 0) return {};
  return failed_call(std::string("mount_setattr(") + what + ")");
}

Result<UniqueFd> open_tree(int dir, const std::string& path, unsigned recursive) {
  const unsigned flags =
      OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | recursive;
  UniqueFd mount(static_cast<int>(::syscall(SYS_open_tree, dir, path.c_str(), flags)));
  if (!mount) return failed_call("open_tree(" + path + ")");
  return mount;
}
}  // namespace

Result<UniqueFd> make_mount(const std::string& type, std::initializer_list<FsOption> options,
                            unsigned attributes) {
  const UniqueFd fs(static_cast<int>(::syscall(SYS_fsopen, type.c_str(), FSOPEN_CLOEXEC)));
  if (!fs) return failed_call("fsopen(" + type + ")");
  for (const FsOption& option : options) {
    const bool is_flag = option.value.empty();
    RETURN_IF_ERROR(fsconfig(fs.get(), is_flag ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING, option.key.c_str(),
                             is_flag ? nullptr : option.value.c_str()));
  }
  RETURN_IF_ERROR(fsconfig(fs.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr));
  UniqueFd mount(static_cast<int>(::syscall(SYS_fsmount, fs.get(), FSMOUNT_CLOEXEC, attributes)));
  if (!mount) return failed_call("fsmount(" + type + ")");
  return mount;
}

Result<UniqueFd> clone_mount(int dir, const std::string& path) { return open_tree(dir, path, 0); }

Result<UniqueFd> clone_mount_tree(int dir, const std::string& path) {
  return open_tree(dir, path, AT_RECURSIVE);
}

Result<> set_mount_attributes(int mount, std::uint64_t attributes) {
  // The access-time modes are one field of several bits: to set one, the field is cleared.
  const std::uint64_t clear = (attributes & MOUNT_ATTR__ATIME) != 0 ? MOUNT_ATTR__ATIME : 0;
  return mount_setattr(mount, {.attr_set = attributes, .attr_clr = clear, .propagation = 0, .userns_fd = 0},
                       "attributes");
}

Result<> idmap_mount(int mount, int user_namespace) {
  return mount_setattr(mount,
                       {.attr_set = MOUNT_ATTR_IDMAP,
                        .attr_clr = 0,
                        .propagation = 0,
                        .userns_fd = static_cast<std::uint64_t>(user_namespace)},
                       "idmap");
}

Result<> attach_mount(int mount, int dir, const std::string& path) {
  // The target comes from a template that may be hostile: it is resolved without following any link.
  ASSIGN_OR_RETURN(const auto target,
                   openat2(dir, path, O_PATH, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS));
  const unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
  if (::syscall(SYS_move_mount, mount, "", target.get(), "", flags) != 0) {
    return failed_call("move_mount(" + path + ")");
  }
  return {};
}

Result<> bind_fd(int source, int dir, const std::string& path, std::uint64_t attributes) {
  ASSIGN_OR_RETURN(const auto mount, clone_mount(source, ""));
  RETURN_IF_ERROR(set_mount_attributes(mount.get(), attributes));
  return attach_mount(mount.get(), dir, path);
}

Result<> bind_path(const char* source, const char* target) {
  if (::mount(source, target, nullptr, MS_BIND, nullptr) == 0) return {};
  return failed_call(std::string("bind(") + target + ")");
}

Result<> make_private_recursive() {
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return failed_call("mount(/, MS_REC|MS_PRIVATE)");
  }
  return {};
}

Result<> make_slave_recursive() {
  if (::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
    return failed_call("mount(/, MS_REC|MS_SLAVE)");
  }
  return {};
}

Result<> pivot_root_here(int new_root) {
  if (::fchdir(new_root) != 0) return failed_call("fchdir(new root)");
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return failed_call("pivot_root");
  return {};
}

Result<> detach_mount(const char* path) {
  if (::umount2(path, MNT_DETACH) != 0) return failed_call(std::string("umount2(") + path + ")");
  return {};
}

Result<> remount_option(const std::string& path, const std::string& option) {
  if (::mount("none", path.c_str(), nullptr, MS_REMOUNT, option.c_str()) != 0) {
    return failed_call("remount(" + path + ", " + option + ")");
  }
  return {};
}

Result<bool> is_mount_root(const std::string& path) {
  struct statx st{};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &st) != 0) {
    return failed_call("statx(" + path + ")");
  }
  return (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

}  // namespace sys
