#include "tests/control/weak_steps.h"

#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <string_view>

#include "jail/steps.h"
#include "sys/mount.h"
#include "sys/process.h"

namespace control {

namespace {

using jail::Build;
using jail::Weakness;
using Then = jail::StepHook::Then;

Result<> nothing(Build&) { return {}; }

// A pid namespace that is not the sandbox's own shows in the procfs of its owner only.
Result<> show_the_spawners_proc(Build& build) {
  ASSIGN_OR_RETURN(build.proc, sys::clone_mount_tree(AT_FDCWD, "/proc"));
  ASSIGN_OR_RETURN(build.proc_sys, sys::openat(build.proc.get(), "sys", O_PATH | O_DIRECTORY));
  return sys::attach_mount(build.proc.get(), build.root.get(), "proc");
}

Result<> mount_the_kernels_sys(Build& build) {
  ASSIGN_OR_RETURN(const auto mount,
                   sys::make_mount("sysfs", {}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  return sys::attach_mount(mount.get(), build.root.get(), "sys");
}

Result<> keep_the_old_root(Build& build) {
  ASSIGN_OR_RETURN(const auto tree, sys::clone_mount_tree(AT_FDCWD, "/"));
  return sys::attach_mount(tree.get(), build.root.get(), "oldroot");
}

Result<> leave_the_root_but_not_the_directory(Build& build) {
  ASSIGN_OR_RETURN(const auto outside, sys::open("/", O_PATH | O_DIRECTORY));
  RETURN_IF_ERROR(sys::pivot_root_here(build.root.get()));
  RETURN_IF_ERROR(sys::detach_mount("."));
  return sys::fchdir(outside.get());
}

// By its path in the stage, which is the working directory.
Result<> allow_on(const char* path, std::uint64_t forbidden) {
  mount_attr attributes{.attr_set = 0, .attr_clr = forbidden, .propagation = 0, .userns_fd = 0};
  if (::mount_setattr(AT_FDCWD, path, 0, &attributes, sizeof attributes) == 0) return {};
  return base::failed_call(std::string("mount_setattr(") + path + ")");
}

Result<> honour_setid(Build&) { return allow_on("root", MOUNT_ATTR_NOSUID); }

Result<> loosen_mounts(Build&) {
  RETURN_IF_ERROR(allow_on("root", MOUNT_ATTR_NODEV));
  return allow_on("root/dev/shm", MOUNT_ATTR_NOEXEC);
}

// What a set-up does that trusts the template: plain paths, links and all. Whether it gets anywhere is the
// test's question.
Result<> write_through_links(Build&) {
  for (const char* path : {"root/etc/hosts", "root/etc/hostname", "root/etc/machine-id",
                           "root/etc/resolv.conf", "root/dev/null", "root/proc/self/oom_score_adj"}) {
    const auto file = sys::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0644);
    if (file) (void)sys::write_all(file->get(), "written by the set-up\n");
  }
  return {};
}

// As far as the machine's root has them; to go beyond takes a capability that not every root has.
Result<> keep_the_hosts_rlimits(Build& build) {
  for (const jail::Rlimit& limit : build.plan.rlimits) {
    const auto resource = static_cast<__rlimit_resource>(limit.resource);
    rlimit most{};
    if (::getrlimit(resource, &most) != 0) return base::failed_call("getrlimit");
    most.rlim_cur = most.rlim_max;
    if (::setrlimit(resource, &most) != 0) return base::failed_call("setrlimit");
  }
  return {};
}

Result<> hear_of_no_killing(Build& build) {
  build.wiring.group.gauges.oom_notify.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  return {};
}

struct Edit {
  Weakness weakness;
  std::string_view step;
  Result<> (*run)(Build&);
  Then then;
};

constexpr Edit kEdits[] = {
    {Weakness::kRealSys, "make sys", mount_the_kernels_sys, Then::kSkipStep},
    {Weakness::kLinksFollowed, "make device nodes", write_through_links, Then::kRunStep},
    {Weakness::kSetid, "enter nursery", honour_setid, Then::kRunStep},
    {Weakness::kLooseMounts, "enter nursery", loosen_mounts, Then::kRunStep},
    {Weakness::kWholeIdRange, "enter nursery", nothing, Then::kSkipStep},
    {Weakness::kSharedNetwork, "enter network", nothing, Then::kSkipStep},
    {Weakness::kOwnNetwork, "enter network", nothing, Then::kSkipStep},
    {Weakness::kSharedPid, "mount proc", show_the_spawners_proc, Then::kSkipStep},
    {Weakness::kOldRootStays, "own cgroup namespace", keep_the_old_root, Then::kRunStep},
    {Weakness::kLeakedDirectory, "leave old root", leave_the_root_but_not_the_directory, Then::kSkipStep},
    {Weakness::kSharedUts, "name host", nothing, Then::kSkipStep},
    {Weakness::kSetid, "forbid new privileges", nothing, Then::kSkipStep},
    {Weakness::kNoRlimits, "limit processes", keep_the_hosts_rlimits, Then::kSkipStep},
    {Weakness::kNoOomFloor, "volunteer for oom", nothing, Then::kSkipStep},
    {Weakness::kDeafInit, "wire descriptors", hear_of_no_killing, Then::kRunStep},
};

}  // namespace

Result<Then> WeakSteps::before(const char* step, Build& build) {
  RETURN_IF_ERROR(faults_.before(step));
  Then then = Then::kRunStep;
  for (const Edit& edit : kEdits) {
    if (edit.step != step || !has(weaknesses_, edit.weakness)) continue;
    RETURN_IF_ERROR(edit.run(build));
    if (edit.then == Then::kSkipStep) then = Then::kSkipStep;
  }
  return then;
}

}  // namespace control
