// As root, in the helper: the mount tree, then the way down into the nursery.
#include <sched.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>

#include <array>
#include <set>

#include "jail/steps.h"
#include "sys/mount.h"
#include "sys/process.h"

namespace jail {

namespace {

constexpr unsigned kSealed = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
// What lies over parts of /proc.
constexpr unsigned kLid = kSealed | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC;

}  // namespace

// The helper is born in the sandbox's group of the unified hierarchy; v1 controllers are entered by hand.
Result<> join_limits(Build& build) {
  for (const sys::UniqueFd& procs : build.wiring.group.join)
    RETURN_IF_ERROR(sys::write_all(procs.get(), "0"));
  return {};
}

Result<> own_mount_namespace(Build&) {
  RETURN_IF_ERROR(sys::unshare(CLONE_NEWNS));
  return sys::make_private_recursive();
}

namespace {

// Once, by real root: nothing that comes of this process can make itself a less likely victim of the
// kernel's out-of-memory killer than this, whose other candidates are the host's own processes. What init
// starts goes before init.
Result<> volunteer_for_oom(Build&) { return sys::write_existing("/proc/self/oom_score_adj", "400"); }

}  // namespace

// A tmpfs that exists in this mount namespace only: whatever happens to us, nothing of it stays.
Result<> make_stage(Build& build) {
  ASSIGN_OR_RETURN(const auto stage, sys::make_mount("tmpfs", {{"mode", "0711"}, {"size", "4m"}}, kSealed));
  ASSIGN_OR_RETURN(const auto here, sys::open(build.wiring.materials->stage, O_PATH | O_DIRECTORY));
  RETURN_IF_ERROR(sys::attach_mount(stage.get(), here.get(), "."));
  ASSIGN_OR_RETURN(build.stage, sys::open(build.wiring.materials->stage, O_PATH | O_DIRECTORY));
  RETURN_IF_ERROR(sys::fchdir(build.stage.get()));
  for (const char* name : {"disk", "lower", "root", "empty", "empty/directory", "replaced", "nodes"}) {
    RETURN_IF_ERROR(sys::mkdirat(build.stage.get(), name, 0755));
  }
  return sys::create_file_at(build.stage.get(), "empty/file", "", 0444);
}

namespace {

// A directory of the stage becomes a mount of its own, sealed: what is bound from it later is sealed alike.
Result<> seal_directory(const Build& build, const char* name) {
  ASSIGN_OR_RETURN(const auto mount, sys::clone_mount(build.stage.get(), name));
  RETURN_IF_ERROR(sys::set_mount_attributes(mount.get(), kLid));
  return sys::attach_mount(mount.get(), build.stage.get(), name);
}

// The sandbox's own layer, on the disk that the spawner has for it: its size is the limit.
Result<> make_disk(Build& build) {
  if (build.plan.root_kind == RootKind::kBuild) return {};
  const sys::UniqueFd& disk = build.wiring.disk;
  RETURN_IF_ERROR(sys::mkdirat(disk.get(), "upper", 0755));
  RETURN_IF_ERROR(sys::mkdirat(disk.get(), "work", 0700));
  RETURN_IF_ERROR(sys::fchownat(disk.get(), "upper", build.plan.first_id, build.plan.first_id));
  return sys::attach_mount(disk.get(), build.stage.get(), "disk");
}

Result<> own_directory(const Build& build, int dir, const std::string& name) {
  RETURN_IF_ERROR(sys::mkdirat(dir, name, 0755));
  return sys::fchownat(dir, name, build.plan.first_id, build.plan.first_id);
}

// Mount points and identity go into the layer before it is mounted: nothing of the template is resolved.
Result<> fill_layer(Build& build) {
  if (build.plan.root_kind == RootKind::kBuild) return {};
  ASSIGN_OR_RETURN(const auto upper, sys::openat(build.stage.get(), "disk/upper", O_PATH | O_DIRECTORY));
  for (const std::string& name : build.plan.mount_points) {
    RETURN_IF_ERROR(own_directory(build, upper.get(), name));
  }
  RETURN_IF_ERROR(own_directory(build, upper.get(), "etc"));
  for (const StaticFile& file : build.plan.identity_files) {
    RETURN_IF_ERROR(sys::create_file_at(upper.get(), file.path, file.text, 0644));
    RETURN_IF_ERROR(sys::fchownat(upper.get(), file.path, build.plan.first_id, build.plan.first_id));
  }
  return {};
}

}  // namespace

// The template as it lies on disk, read-only, its ids shifted into the sandbox's block.
Result<> mount_template(Build& build) {
  ASSIGN_OR_RETURN(const auto directory, sys::open(build.plan.root, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  ASSIGN_OR_RETURN(const auto tree, sys::clone_mount(directory.get(), ""));
  RETURN_IF_ERROR(sys::idmap_mount(tree.get(), build.wiring.id_map));
  const bool is_build = build.plan.root_kind == RootKind::kBuild;
  const std::uint64_t extra = is_build ? 0 : MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOATIME;
  RETURN_IF_ERROR(sys::set_mount_attributes(tree.get(), kSealed | extra));
  return sys::attach_mount(tree.get(), build.stage.get(), is_build ? "root" : "lower");
}

namespace {

Result<> mount_root(Build& build) {
  if (build.plan.root_kind == RootKind::kTemplate) {
    // Paths are relative to the stage, which is the working directory: nothing of the host shows in
    // mountinfo. Volatile: a layer does not outlive its sandbox, so nobody waits for the host's disk, neither
    // in fsync nor when it ends.
    ASSIGN_OR_RETURN(const auto overlay, sys::make_mount("overlay",
                                                         {{"source", "cove"},
                                                          {"lowerdir", "lower"},
                                                          {"upperdir", "disk/upper"},
                                                          {"workdir", "disk/work"},
                                                          {"metacopy", "off"},
                                                          {"redirect_dir", "off"},
                                                          {"index", "off"},
                                                          {"xino", "off"},
                                                          {"nfs_export", "off"},
                                                          {"volatile", ""}},
                                                         kSealed));
    RETURN_IF_ERROR(sys::attach_mount(overlay.get(), build.stage.get(), "root"));
  }
  ASSIGN_OR_RETURN(build.root, sys::openat(build.stage.get(), "root", O_PATH | O_DIRECTORY));
  return {};
}

// Nodes of this sandbox alone: a lock on a shared inode would be a channel to its neighbours.
Result<> make_device_nodes(Build& build) {
  ASSIGN_OR_RETURN(const auto mount, sys::make_mount("tmpfs", {{"mode", "0755"}, {"size", "64k"}},
                                                     MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  for (const Device& device : build.plan.devices) {
    RETURN_IF_ERROR(
        sys::mknodat(mount.get(), device.name, S_IFCHR | 0666, ::makedev(device.major, device.minor)));
    RETURN_IF_ERROR(sys::fchownat(mount.get(), device.name, build.plan.first_id, build.plan.first_id));
  }
  return sys::attach_mount(mount.get(), build.stage.get(), "nodes");
}

// Relative to the stage; both ends lie on file systems that only we have written to so far.
Result<> bind_device(int dev, const Device& device) {
  RETURN_IF_ERROR(sys::create_file_at(dev, device.name, "", 0666));
  const std::string node = std::string("nodes/") + device.name;
  const std::string target = std::string("root/dev/") + device.name;
  return sys::bind_path(node.c_str(), target.c_str());
}

// On a tmpfs of ours, built before any code of the template runs. The device binds alone lack nodev.
Result<> make_dev(Build& build) {
  const std::string owner = std::to_string(build.plan.first_id);
  const std::string tty = std::to_string(build.plan.first_id + kTtyGroup);
  ASSIGN_OR_RETURN(
      const auto mount,
      sys::make_mount("tmpfs", {{"mode", "0755"}, {"size", "64k"}, {"uid", owner}, {"gid", owner}},
                      kSealed | MOUNT_ATTR_NOEXEC));
  RETURN_IF_ERROR(sys::attach_mount(mount.get(), build.root.get(), "dev"));
  ASSIGN_OR_RETURN(const auto dev, sys::openat(build.root.get(), "dev", O_PATH | O_DIRECTORY));
  for (const Device& device : build.plan.devices) RETURN_IF_ERROR(bind_device(dev.get(), device));
  for (const DeviceLink& link : build.plan.device_links) {
    RETURN_IF_ERROR(sys::symlinkat(link.target, dev.get(), link.name));
  }
  RETURN_IF_ERROR(own_directory(build, dev.get(), "pts"));
  RETURN_IF_ERROR(own_directory(build, dev.get(), "shm"));
  ASSIGN_OR_RETURN(
      const auto pts,
      sys::make_mount("devpts", {{"ptmxmode", "0666"}, {"mode", "0620"}, {"gid", tty}, {"max", "64"}},
                      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  RETURN_IF_ERROR(sys::attach_mount(pts.get(), dev.get(), "pts"));
  ASSIGN_OR_RETURN(
      const auto shm,
      sys::make_mount("tmpfs", {{"mode", "1777"}, {"size", std::to_string(build.plan.shm_bytes)}},
                      kSealed | MOUNT_ATTR_NOEXEC));
  return sys::attach_mount(shm.get(), dev.get(), "shm");
}

// `made` remembers what is there already.
Result<> make_parents(int dir, const std::string& path, std::set<std::string>& made) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (!made.insert(path.substr(0, slash)).second) continue;
    RETURN_IF_ERROR(sys::mkdirat(dir, path.substr(0, slash), 0755));
  }
  return {};
}

// Not the kernel's sysfs: a handful of plain files that runtimes read to learn their share.
Result<> make_sys(Build& build) {
  const std::string owner = std::to_string(build.plan.first_id);
  ASSIGN_OR_RETURN(
      const auto mount,
      sys::make_mount("tmpfs", {{"mode", "0755"}, {"size", "64k"}, {"uid", owner}, {"gid", owner}},
                      kSealed | MOUNT_ATTR_NOEXEC));
  std::set<std::string> made;
  for (const StaticFile& file : build.plan.sys_files) {
    RETURN_IF_ERROR(make_parents(mount.get(), file.path, made));
    RETURN_IF_ERROR(sys::create_file_at(mount.get(), file.path, file.text, 0444));
  }
  RETURN_IF_ERROR(sys::set_mount_attributes(mount.get(), MOUNT_ATTR_RDONLY));
  return sys::attach_mount(mount.get(), build.root.get(), "sys");
}

// The owner of the host's directory appears as the sandbox's user, and everybody else as nobody.
Result<> mount_workspace(Build& build) {
  if (build.plan.workspace == Access::kNone) return {};
  const sys::UniqueFd& tree = build.wiring.workspace;
  RETURN_IF_ERROR(sys::idmap_mount(tree.get(), build.wiring.workspace_id_map.get()));
  const std::uint64_t read_only = build.plan.workspace == Access::kReadOnly ? MOUNT_ATTR_RDONLY : 0;
  RETURN_IF_ERROR(sys::set_mount_attributes(tree.get(), kSealed | read_only));
  return sys::attach_mount(tree.get(), build.root.get(), "workspace");
}

// What later lies over parts of /proc; made here, because inside nothing can be written any more.
Result<> prepare_lids(Build& build) {
  for (std::size_t i = 0; i < build.plan.replaced_in_proc.size(); ++i) {
    RETURN_IF_ERROR(sys::create_file_at(build.stage.get(), "replaced/" + std::to_string(i),
                                        build.plan.replaced_in_proc[i].text, 0444));
  }
  RETURN_IF_ERROR(seal_directory(build, "empty"));
  return seal_directory(build, "replaced");
}

}  // namespace

// From here on this process is root over the nursery and nothing else.
Result<> enter_nursery(Build& build) {
  RETURN_IF_ERROR(sys::setns(build.wiring.nursery, CLONE_NEWUSER));
  RETURN_IF_ERROR(sys::set_ids(build.plan.first_id, build.plan.first_id));
  // The change of uid made us non-dumpable, and with that our child's uid_map unwritable for us.
  return sys::set_dumpable();
}

namespace {

// Owned by the nursery (network.cc), and only from there can it be entered.
Result<> enter_network(Build& build) { return sys::setns(build.wiring.network.get(), CLONE_NEWNET); }

}  // namespace

// Before the sandbox's user namespace is made, because that takes them as its own: pending signals and
// message queues are counted by user id, root inside has 65,536 of those, and all of them together get what
// one gets.
Result<> limit_processes(Build& build) {
  for (const Rlimit& limit : build.plan.rlimits) {
    RETURN_IF_ERROR(sys::lower_rlimit(limit.resource, limit.soft, limit.hard));
  }
  return {};
}

namespace {

constexpr std::array kHostSteps = {
    Step{"join limits", join_limits},
    Step{"volunteer for oom", volunteer_for_oom},
    Step{"own mount namespace", own_mount_namespace},
    Step{"make stage", make_stage},
    Step{"make disk", make_disk},
    Step{"fill layer", fill_layer},
    Step{"mount template", mount_template},
    Step{"mount root", mount_root},
    Step{"make device nodes", make_device_nodes},
    Step{"make dev", make_dev},
    Step{"make sys", make_sys},
    Step{"mount workspace", mount_workspace},
    Step{"prepare lids", prepare_lids},
    Step{"enter nursery", enter_nursery},
    Step{"enter network", enter_network},
    Step{"limit processes", limit_processes},
};

}  // namespace

std::span<const Step> host_steps() { return kHostSteps; }

}  // namespace jail
