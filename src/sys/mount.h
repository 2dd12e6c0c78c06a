#pragma once

#include <sys/mount.h>

#include <cstdint>
#include <initializer_list>
#include <string>

#include "sys/file.h"

namespace sys {

// One option of a file system: a flag when `value` is empty.
struct FsOption {
  std::string key;
  std::string value;
};

// A new instance of a file system, not yet attached anywhere: fsopen, fsconfig, fsmount.
Result<UniqueFd> make_mount(const std::string& type, std::initializer_list<FsOption> options,
                            unsigned attributes);
// A private copy of the mount at a path (its own tree only), not yet attached.
Result<UniqueFd> clone_mount(int dir, const std::string& path);
// The same with everything mounted below it.
Result<UniqueFd> clone_mount_tree(int dir, const std::string& path);
Result<> set_mount_attributes(int mount, std::uint64_t attributes);
// On-disk ids 0.. appear as the ids that `user_namespace` maps them to.
Result<> idmap_mount(int mount, int user_namespace);
// Attaches a mount on a path below `dir`; symbolic links on the way are an error, never followed.
Result<> attach_mount(int mount, int dir, const std::string& path);
// Bind: what `source` is open on, attached at the path below `dir`, with these attributes.
Result<> bind_fd(int source, int dir, const std::string& path, std::uint64_t attributes);

// The old way, in one call: the source's mount is shown at the target as well, with the flags it has there.
// Both paths are followed as usual, so this is for trees in which nobody but us has put anything.
Result<> bind_path(const char* source, const char* target);

Result<> make_private_recursive();
// What the host mounts later shows here; what we mount does not show there.
Result<> make_slave_recursive();
// Whether the path is the root of a mount (a chroot's / is not).
Result<bool> is_mount_root(const std::string& path);
// Makes the directory the root and puts the old root on top of it, to be detached next.
Result<> pivot_root_here(int new_root);
Result<> detach_mount(const char* path);
Result<> remount_option(const std::string& path, const std::string& option);

}  // namespace sys
