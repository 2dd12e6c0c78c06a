// Mounts of the kinds a sandbox's file system is made of. Each attempt has a mount namespace of its own and
// works on a tmpfs there, so nothing of it reaches the machine.
#include <linux/openat2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "doctor/check.h"
#include "doctor/refusal.h"
#include "sys/mount.h"
#include "sys/process.h"
#include "sys/user_namespace.h"

namespace doctor {

using base::Code;
using base::Result;

namespace {

constexpr const char* kKernelFix = "boot a newer kernel: Debian 12 and 13, Ubuntu 22.10 and later have it";

// A small tmpfs attached on a directory of the child's mount namespace.
struct Scratch {
  sys::UniqueFd dir;
  std::string path;
};

Result<Scratch> make_scratch() {
  ASSIGN_OR_RETURN(const auto mount,
                   sys::make_mount("tmpfs", {{"size", "1m"}, {"nr_inodes", "64"}, {"mode", "0755"}},
                                   MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  ASSIGN_OR_RETURN(const auto root, sys::open("/", O_PATH | O_DIRECTORY));
  for (const char* place : {"mnt", "tmp", "run", "var"}) {
    const auto found = sys::fstatat(root.get(), place);
    if (!found || !S_ISDIR(found->st_mode)) continue;
    RETURN_IF_ERROR(sys::attach_mount(mount.get(), root.get(), place));
    const std::string path = std::string("/") + place;
    ASSIGN_OR_RETURN(auto dir, sys::open(path, O_RDONLY | O_DIRECTORY));
    return Scratch{.dir = std::move(dir), .path = path};
  }
  return base::fail(Code::kNotFound, "none of /mnt, /tmp, /run, /var is a directory");
}

Result<Scratch> make_scratch_with(std::initializer_list<const char*> directories) {
  ASSIGN_OR_RETURN(auto scratch, make_scratch());
  for (const char* name : directories) RETURN_IF_ERROR(sys::mkdirat(scratch.dir.get(), name, 0755));
  return scratch;
}

Result<> attach_overlay(const Scratch& scratch, std::initializer_list<sys::FsOption> layers) {
  ASSIGN_OR_RETURN(const auto overlay,
                   sys::make_mount("overlay", layers, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  return sys::attach_mount(overlay.get(), scratch.dir.get(), "merged");
}

Result<std::string> try_new_api(const Host&) {
  ASSIGN_OR_RETURN(const auto scratch, make_scratch());
  RETURN_IF_ERROR(sys::create_file_at(scratch.dir.get(), "file", "text"));
  ASSIGN_OR_RETURN(const auto copy, sys::clone_mount(scratch.dir.get(), ""));
  RETURN_IF_ERROR(sys::set_mount_attributes(copy.get(), MOUNT_ATTR_RDONLY));
  RETURN_IF_ERROR(must_fail_with(EROFS, sys::create_file_at(copy.get(), "other", "text"),
                                 "a copy made read-only can be written"));
  return "fsopen, fsmount, open_tree, mount_setattr, move_mount";
}

Result<std::string> try_overlay(const Host&) {
  ASSIGN_OR_RETURN(const auto scratch, make_scratch_with({"lower", "upper", "work", "merged"}));
  const int dir = scratch.dir.get();
  RETURN_IF_ERROR(sys::create_file_at(dir, "lower/file", "old"));
  RETURN_IF_ERROR(attach_overlay(scratch, {{"lowerdir", scratch.path + "/lower"},
                                           {"upperdir", scratch.path + "/upper"},
                                           {"workdir", scratch.path + "/work"},
                                           {"metacopy", "off"},
                                           {"redirect_dir", "off"},
                                           {"index", "off"},
                                           {"xino", "off"},
                                           {"nfs_export", "off"}}));
  RETURN_IF_ERROR(sys::write_existing_at(dir, "merged/file", "new"));
  ASSIGN_OR_RETURN(const auto lower, sys::read_file_at(dir, "lower/file"));
  ASSIGN_OR_RETURN(const auto upper, sys::read_file_at(dir, "upper/file"));
  if (lower != "old" || upper != "new")
    return base::fail(Code::kInternal, "a write did not go to the upper layer");
  return "a write went to the upper layer, the lower stayed";
}

// Overlay takes the ids of its root from the topmost layer, which is the idmapped one here.
Result<std::string> try_idmapped_lower(const Host& host) {
  constexpr sys::IdMap kMap{.inside = 0, .outside = 1U << 20, .count = 65536};
  ASSIGN_OR_RETURN(const auto place, sys::open(host.state_ancestor, O_PATH | O_DIRECTORY));
  ASSIGN_OR_RETURN(const auto before, sys::fstat(place.get()));
  ASSIGN_OR_RETURN(const auto space, sys::make_user_namespace(kMap));
  ASSIGN_OR_RETURN(const auto mount, sys::clone_mount(place.get(), ""));
  RETURN_IF_ERROR(sys::idmap_mount(mount.get(), space.get()));
  ASSIGN_OR_RETURN(const auto scratch, make_scratch_with({"lower", "empty", "merged"}));
  RETURN_IF_ERROR(sys::attach_mount(mount.get(), scratch.dir.get(), "lower"));
  RETURN_IF_ERROR(
      attach_overlay(scratch, {{"lowerdir", scratch.path + "/lower:" + scratch.path + "/empty"}}));
  ASSIGN_OR_RETURN(const auto after, sys::fstatat(scratch.dir.get(), "merged"));
  if (before.st_uid < kMap.count && after.st_uid != before.st_uid + kMap.outside) {
    return base::fail(Code::kInternal, "uid " + std::to_string(before.st_uid) + " appears as " +
                                           std::to_string(after.st_uid) + " through the map");
  }
  return "overlay over an idmapped " + host.state_ancestor;
}

Result<std::string> try_devpts(const Host&) {
  ASSIGN_OR_RETURN(const auto scratch, make_scratch_with({"pts"}));
  ASSIGN_OR_RETURN(const auto devpts,
                   sys::make_mount("devpts", {{"newinstance", ""}, {"ptmxmode", "0666"}, {"max", "64"}},
                                   MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  RETURN_IF_ERROR(sys::attach_mount(devpts.get(), scratch.dir.get(), "pts"));
  RETURN_IF_ERROR(sys::openat(scratch.dir.get(), "pts/ptmx", O_RDWR | O_NOCTTY));
  return "a terminal of an instance of its own";
}

Result<std::string> try_pivot_root(const Host&) {
  ASSIGN_OR_RETURN(const auto scratch, make_scratch());
  RETURN_IF_ERROR(sys::create_file_at(scratch.dir.get(), "new", ""));
  RETURN_IF_ERROR(sys::pivot_root_here(scratch.dir.get()));
  RETURN_IF_ERROR(sys::detach_mount("."));
  if (::access("/new", F_OK) != 0 || ::access("/proc", F_OK) == 0) {
    return base::fail(Code::kInternal, "the old root is still there");
  }
  return "old root gone";
}

Result<std::string> try_openat2(const Host&) {
  constexpr std::uint64_t kConfined = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
  ASSIGN_OR_RETURN(const auto proc, sys::open("/proc", O_PATH | O_DIRECTORY));
  RETURN_IF_ERROR(sys::openat2(proc.get(), "sys", O_PATH, kConfined));
  RETURN_IF_ERROR(must_fail_with(EXDEV, sys::openat2(proc.get(), "../proc/sys", O_PATH, kConfined),
                                 "RESOLVE_BENEATH does not hold"));
  return "confined lookups";
}

constexpr std::array kChecks = {
    Check{.id = "openat2",
          .level = Level::kRequired,
          .needed = "lookups that cannot leave a directory or follow a link",
          .why = "mount points lie in trees that templates and sandboxes shape",
          .fix = kKernelFix,
          .attempt = try_openat2,
          .needs = Needs::kNothing},
    Check{.id = "mount.new_api",
          .level = Level::kRequired,
          .needed = "fsopen, fsmount, open_tree, move_mount, mount_setattr",
          .why = "mounts are built by descriptor, finished before anybody can see them",
          .fix = kKernelFix,
          .attempt = try_new_api,
          .needs = Needs::kRootAndMounts},
    Check{.id = "mount.pivot_root",
          .level = Level::kRequired,
          .needed = "pivot_root to a tmpfs, old root detached",
          .why = "a sandbox keeps no way back to the machine's files",
          .fix = "pivot_root fails when / is the initial ramdisk: switch to a real root file system first",
          .attempt = try_pivot_root,
          .needs = Needs::kRootAndMounts},
    Check{.id = "fs.overlay",
          .level = Level::kRequired,
          .needed = "overlay with an upper layer on tmpfs",
          .why = "sandboxes share a template and write to a layer of their own",
          .fix = "modprobe overlay; the kernel needs CONFIG_OVERLAY_FS and CONFIG_TMPFS_XATTR",
          .attempt = try_overlay,
          .needs = Needs::kRootAndMounts},
    Check{
        .id = "fs.idmapped_lower",
        .level = Level::kRequired,
        .needed = "overlay over an idmapped mount of the state directory's file system",
        .why = "a template stays root's on disk and belongs to the sandbox's root inside",
        .fix = "Linux 5.19 or later, and a state directory on ext4, xfs or btrfs (not on overlay, NFS or 9p)",
        .attempt = try_idmapped_lower,
        .needs = Needs::kRootAndMounts},
    Check{.id = "fs.devpts",
          .level = Level::kRequired,
          .needed = "a devpts instance of its own",
          .why = "terminals of a sandbox are not those of the machine",
          .fix = "the kernel needs CONFIG_UNIX98_PTYS",
          .attempt = try_devpts,
          .needs = Needs::kRootAndMounts},
};

}  // namespace

std::span<const Check> mount_checks() { return kChecks; }

}  // namespace doctor
