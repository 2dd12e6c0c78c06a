// As pid 1 of the sandbox, with every capability over its own user namespace and none elsewhere: what only
// the inside can do, then giving all of it up.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>
#include <vector>

#include "jail/steps.h"
#include "sys/affinity.h"
#include "sys/caps.h"
#include "sys/mount.h"
#include "sys/process.h"
#include "sys/retry.h"
#include "sys/seccomp.h"

namespace jail {

namespace {

constexpr std::uint64_t kHidden =
    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;

// Until the helper has written the id maps, this process is nobody.
Result<> await_identity(Build& build) {
  char byte = 0;
  const ssize_t n = sys::retry([&] { return ::read(build.go.get(), &byte, 1); });
  if (n < 0) return base::failed_call("read(go)");
  if (n == 0) {
    return base::fail(base::Code::kInternal, "the helper ended before the id maps were written");
  }
  RETURN_IF_ERROR(sys::set_ids(kRootId, kRootId));
  return sys::set_dumpable();
}

// A copy of the tree on top of itself: what came from the host's namespace is locked in place, and a locked
// mount can not become the root. What hangs below it stays locked.
Result<> rebind_root(Build& build) {
  ASSIGN_OR_RETURN(const auto tree, sys::clone_mount_tree(AT_FDCWD, "root"));
  ASSIGN_OR_RETURN(const auto here, sys::open("root", O_PATH | O_DIRECTORY));
  RETURN_IF_ERROR(sys::attach_mount(tree.get(), here.get(), "."));
  ASSIGN_OR_RETURN(build.root, sys::open("root", O_PATH | O_DIRECTORY));
  return {};
}

// Before the old root goes: the kernel lets a user namespace mount a procfs only where a full one is in
// sight.
Result<> mount_proc(Build& build) {
  ASSIGN_OR_RETURN(build.proc, sys::make_mount("proc", {{"hidepid", build.plan.hide_processes}},
                                               MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  ASSIGN_OR_RETURN(build.proc_sys, sys::openat(build.proc.get(), "sys", O_PATH | O_DIRECTORY));
  return sys::attach_mount(build.proc.get(), build.root.get(), "proc");
}

Result<> own_cgroup_namespace(Build&) { return sys::unshare(CLONE_NEWCGROUP); }

// Relative to the root of our own procfs, whose names are the kernel's. The stage lies two directories up.
Result<> cover(const std::string& lid, const char* path) {
  return sys::bind_path(("../../" + lid).c_str(), path);
}

Result<> hide_in_proc(Build& build) {
  RETURN_IF_ERROR(sys::fchdir(build.proc.get()));
  for (const char* path : build.plan.hidden_in_proc) {
    const auto st = sys::fstatat(build.proc.get(), path);
    if (!st && st.error().code == base::Code::kNotFound) continue;  // not on this kernel: nothing to hide
    if (!st) return std::unexpected(st.error());
    RETURN_IF_ERROR(cover(S_ISDIR(st->st_mode) ? "empty/directory" : "empty/file", path));
  }
  return {};
}

Result<> replace_in_proc(Build& build) {
  RETURN_IF_ERROR(sys::fchdir(build.proc.get()));
  for (const char* path : build.plan.read_only_in_proc) {
    ASSIGN_OR_RETURN(const auto lid, sys::clone_mount(AT_FDCWD, path));
    RETURN_IF_ERROR(sys::set_mount_attributes(lid.get(), kHidden));
    RETURN_IF_ERROR(sys::attach_mount(lid.get(), build.proc.get(), path));
  }
  for (std::size_t i = 0; i < build.plan.replaced_in_proc.size(); ++i) {
    RETURN_IF_ERROR(cover("replaced/" + std::to_string(i), build.plan.replaced_in_proc[i].path.c_str()));
  }
  return {};
}

// Through our own procfs, which nobody can have replaced, below the read-only cover that lies on it by now.
// After the last mount is cloned: a clone lives in a mount namespace of its own for a moment, and there are
// none from here on.
Result<> limit_kernel_objects(Build& build) {
  for (const Sysctl& sysctl : build.plan.user_limits) {
    RETURN_IF_ERROR(sys::write_existing_at(build.proc_sys.get(), sysctl.path, sysctl.value));
  }
  return {};
}

// After this, no path leads to the host.
Result<> leave_old_root(Build& build) {
  RETURN_IF_ERROR(sys::pivot_root_here(build.root.get()));
  RETURN_IF_ERROR(sys::detach_mount("."));
  return sys::chdir("/");
}

// A new uts namespace is a copy: the host's NIS domain is taken out with its name.
Result<> name_host(Build& build) {
  RETURN_IF_ERROR(sys::set_domainname("(none)"));
  return sys::set_hostname(build.plan.hostname);
}

// How many CPUs a program counts and how many threads it starts for them. Not a limit: a process may change
// it, and the cgroup's quota holds wherever it runs.
Result<> take_cpus(Build& build) { return sys::run_on(build.plan.cpus); }

Result<> own_session(Build&) {
  RETURN_IF_ERROR(sys::new_session());
  return sys::reset_signals();
}

// Exactly what init needs under fixed numbers; everything else closes at exec.
Result<> wire_descriptors(Build& build) {
  ASSIGN_OR_RETURN(auto null, sys::open("/dev/null", O_RDWR));
  const Wiring& wiring = build.wiring;
  const std::pair<int, int> places[] = {
      {null.get(), 0},
      {null.get(), 1},
      {null.get(), 2},
      {wiring.listener.get(), kListenerFd},
      {wiring.group.unified.get(), kCgroupFd},
      {wiring.group.gauges.oom.get(), kOomFd},
      {wiring.group.gauges.oom_notify.get(), kOomNotifyFd},
      {wiring.group.gauges.memory_peak.get(), kMemoryPeakFd},
      {wiring.group.gauges.pids.get(), kPidsFd},
      {wiring.process_filter, kProcessFilterFd},
      {wiring.leash.get(), kLeashFd},
  };
  // First out of the way of the final numbers, then into them.
  constexpr int kAway = 64;
  std::vector<std::pair<sys::UniqueFd, int>> lifted;
  for (const auto& [from, to] : places) {
    ASSIGN_OR_RETURN(auto copy, sys::lift_fd(from, kAway));
    lifted.emplace_back(std::move(copy), to);
  }
  ASSIGN_OR_RETURN(build.report, sys::lift_fd(build.report.get(), kAway));
  ASSIGN_OR_RETURN(build.program, sys::lift_fd(wiring.materials->init_program.get(), kAway));
  (void)null.release();  // its number may be one that is given away next
  RETURN_IF_ERROR(sys::close_on_exec_from(3));
  for (const auto& [copy, to] : lifted) RETURN_IF_ERROR(sys::place_fd(copy.get(), to));
  return {};
}

// init's own id, its few capabilities as ambient ones so that they survive the exec, and nothing beyond.
Result<> become_init(Build& build) {
  constexpr sys::CapMask kAll = ~sys::CapMask{0};
  const sys::CapMask keep = build.plan.init_capabilities;
  RETURN_IF_ERROR(sys::keep_capabilities());
  RETURN_IF_ERROR(sys::set_ids(build.plan.init_id, build.plan.init_id));
  RETURN_IF_ERROR(sys::set_capabilities(kAll, kAll, keep));
  RETURN_IF_ERROR(sys::set_securebits(build.plan.securebits));
  RETURN_IF_ERROR(sys::limit_bounding_set(build.plan.bounding));
  RETURN_IF_ERROR(sys::set_capabilities(keep, keep, keep));
  return sys::set_ambient(keep);
}

Result<> forbid_new_privileges(Build&) { return sys::set_no_new_privs(); }

// The ABI gate first: it kills what is not native x86-64 code. init's own allowlist on top.
Result<> filter_system_calls(Build& build) {
  RETURN_IF_ERROR(sys::install_seccomp_filter(build.wiring.materials->abi_gate));
  return sys::install_seccomp_filter(build.wiring.materials->init_filter);
}

constexpr std::array kInsideSteps = {
    Step{"await identity", await_identity},
    Step{"rebind root", rebind_root},
    Step{"mount proc", mount_proc},
    Step{"hide in proc", hide_in_proc},
    Step{"replace in proc", replace_in_proc},
    Step{"own cgroup namespace", own_cgroup_namespace},
    Step{"limit kernel objects", limit_kernel_objects},
    Step{"leave old root", leave_old_root},
    Step{"name host", name_host},
    Step{"take cpus", take_cpus},
    Step{"own session", own_session},
    Step{"wire descriptors", wire_descriptors},
    Step{"become init", become_init},
    Step{"forbid new privileges", forbid_new_privileges},
    Step{"filter system calls", filter_system_calls},
};

}  // namespace

std::span<const Step> inside_steps() { return kInsideSteps; }

}  // namespace jail
