// As root, until the nursery is entered; then as its root, and at last as a process with one capability.
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>

#include <array>

#include "jail/steps.h"
#include "sys/mount.h"
#include "sys/process.h"
#include "sys/seccomp.h"

namespace jail {

namespace {

constexpr int kChannelFd = 3;

// The same as of what init starts: a newcomer inherits it.
Result<> volunteer_for_oom(Build&) { return sys::write_existing("/proc/self/oom_score_adj", "500"); }

// Packages want to leave files there while they are imported. None of it is a context's.
Result<> make_scratch(const Build& build, const char* place) {
  ASSIGN_OR_RETURN(const auto mount,
                   sys::make_mount("tmpfs", {{"mode", "1777"}, {"size", "64m"}},
                                   MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  return sys::attach_mount(mount.get(), build.stage.get(), place);
}

Result<> make_tmp(Build& build) { return make_scratch(build, "lower/tmp"); }

// The library lies here, because this is the one place that is ours and not the template's.
Result<> make_zygote_dev(Build& build) {
  ASSIGN_OR_RETURN(const auto mount,
                   sys::make_mount("tmpfs", {{"mode", "0755"}, {"size", "1m"}}, MOUNT_ATTR_NOSUID));
  for (const Device& device : build.plan.devices) {
    RETURN_IF_ERROR(
        sys::mknodat(mount.get(), device.name, S_IFCHR | 0666, ::makedev(device.major, device.minor)));
  }
  RETURN_IF_ERROR(sys::mkdirat(mount.get(), "shm", 0755));
  RETURN_IF_ERROR(
      sys::create_file_at(mount.get(), "cove-enter.so", build.wiring.materials->enter_library, 0755));
  RETURN_IF_ERROR(sys::set_mount_attributes(mount.get(), MOUNT_ATTR_RDONLY));
  RETURN_IF_ERROR(sys::attach_mount(mount.get(), build.stage.get(), "lower/dev"));
  return make_scratch(build, "lower/dev/shm");
}

// By real root, so that the mount namespace belongs to nobody in the nursery.
Result<> leave_old_root(Build& build) {
  ASSIGN_OR_RETURN(build.root, sys::openat(build.stage.get(), "lower", O_PATH | O_DIRECTORY));
  build.stage.reset();
  RETURN_IF_ERROR(sys::pivot_root_here(build.root.get()));
  RETURN_IF_ERROR(sys::detach_mount("."));
  return sys::chdir("/");
}

Result<> own_namespaces(Build&) {
  RETURN_IF_ERROR(sys::unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP));
  RETURN_IF_ERROR(sys::set_domainname("(none)"));
  return sys::set_hostname("zygote");
}

Result<> own_session(Build&) {
  RETURN_IF_ERROR(sys::new_session());
  return sys::reset_signals();
}

Result<> wire_channel(Build& build) {
  constexpr int kAway = 64;
  ASSIGN_OR_RETURN(auto null, sys::open("/dev/null", O_RDWR));
  ASSIGN_OR_RETURN(null, sys::lift_fd(null.get(), kAway));
  ASSIGN_OR_RETURN(const auto channel, sys::lift_fd(build.wiring.channel.get(), kAway));
  ASSIGN_OR_RETURN(build.report, sys::lift_fd(build.report.get(), kAway));
  RETURN_IF_ERROR(sys::close_on_exec_from(kChannelFd));
  for (const int place : {0, 1, 2}) RETURN_IF_ERROR(sys::place_fd(null.get(), place));
  return sys::place_fd(channel.get(), kChannelFd);
}

// The user of the nursery's own block. CAP_SYS_ADMIN over the nursery is what entering takes.
Result<> become_zygote(Build& build) {
  constexpr sys::CapMask kAll = ~sys::CapMask{0};
  constexpr sys::CapMask kKeep = sys::cap(CAP_SYS_ADMIN);
  const std::uint32_t id = build.plan.first_id + kUserId;
  RETURN_IF_ERROR(sys::keep_capabilities());
  RETURN_IF_ERROR(sys::set_ids(id, id));
  RETURN_IF_ERROR(sys::set_capabilities(kAll, kAll, kKeep));
  RETURN_IF_ERROR(sys::set_securebits(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED));
  RETURN_IF_ERROR(sys::limit_bounding_set(kKeep));
  RETURN_IF_ERROR(sys::set_capabilities(kKeep, kKeep, kKeep));
  return sys::set_ambient(kKeep);
}

Result<> filter_system_calls(Build& build) {
  RETURN_IF_ERROR(sys::set_no_new_privs());
  RETURN_IF_ERROR(sys::install_seccomp_filter(build.wiring.materials->abi_gate));
  return sys::install_seccomp_filter(build.wiring.materials->zygote_filter);
}

constexpr std::array kZygoteSteps = {
    Step{"join limits", join_limits},
    Step{"volunteer for oom", volunteer_for_oom},
    Step{"own mount namespace", own_mount_namespace},
    Step{"make stage", make_stage},
    Step{"mount template", mount_template},
    Step{"make tmp", make_tmp},
    Step{"make dev", make_zygote_dev},
    Step{"leave old root", leave_old_root},
    Step{"enter nursery", enter_nursery},
    Step{"own namespaces", own_namespaces},
    Step{"limit processes", limit_processes},
    Step{"own session", own_session},
    Step{"wire channel", wire_channel},
    Step{"become zygote", become_zygote},
    Step{"filter system calls", filter_system_calls},
};

}  // namespace

std::span<const Step> zygote_steps() { return kZygoteSteps; }

}  // namespace jail
