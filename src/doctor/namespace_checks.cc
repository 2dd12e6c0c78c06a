// Namespaces, made and entered for real.
#include <sched.h>

#include <array>

#include "doctor/check.h"
#include "doctor/child.h"
#include "doctor/refusal.h"
#include "sys/mount.h"
#include "sys/process.h"
#include "sys/socket.h"

namespace doctor {

using base::Code;
using base::Result;

namespace {

constexpr const char* kKernelFix = "boot a distribution kernel (CONFIG_NAMESPACES and its parts switched on)";

template <int Flag>
Result<std::string> try_namespace(const Host&) {
  const auto done = sys::unshare(Flag);
  if (!done) return base::failed_call("unshare", done.error().sys_errno);
  return "made one";
}

Result<std::string> try_user_namespace(const Host&) {
  return run_in_user_namespace({}, [] -> Result<std::string> {
    RETURN_IF_ERROR(sys::set_ids(1000, 1000));
    return "65536 ids mapped, became 1000 inside";
  });
}

// A security module may let a namespace be made and then deny what its root does, so something is done with
// it.
Result<std::string> try_namespace_below_namespace(const Host&) {
  const NewNamespaces nursery{.map = {.inside = 0, .outside = 1U << 20, .count = 2 * 65536}};
  const NewNamespaces sandbox{.more = CLONE_NEWUTS, .map = {.inside = 0, .outside = 65536, .count = 65536}};
  return run_in_user_namespace(nursery, [&] {
    return run_in_user_namespace(sandbox, [] -> Result<std::string> {
      RETURN_IF_ERROR(sys::set_hostname("sandbox"));
      return "made one below another, its root may act inside";
    });
  });
}

Result<std::string> with_own_proc(const Work& work) {
  return run_in_user_namespace({.more = CLONE_NEWPID | CLONE_NEWNS}, [&] -> Result<std::string> {
    ASSIGN_OR_RETURN(const auto proc,
                     sys::make_mount("proc", {{"hidepid", "invisible"}},
                                     MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
    ASSIGN_OR_RETURN(const auto root, sys::open("/", O_PATH | O_DIRECTORY));
    RETURN_IF_ERROR(sys::attach_mount(proc.get(), root.get(), "proc"));
    return work();
  });
}

Result<std::string> try_proc(const Host&) {
  return with_own_proc([] -> Result<std::string> {
    ASSIGN_OR_RETURN(const auto self, sys::readlinkat(AT_FDCWD, "/proc/self"));
    if (self != "1") return base::fail(Code::kInternal, "/proc/self is " + self + ", not 1");
    return "mounted, sees its own processes only";
  });
}

Result<std::string> try_forbidding_namespaces(const Host&) {
  return with_own_proc([] -> Result<std::string> {
    RETURN_IF_ERROR(sys::write_existing("/proc/sys/user/max_user_namespaces", "0"));
    RETURN_IF_ERROR(
        must_fail_with(ENOSPC, sys::unshare(CLONE_NEWUSER), "a limit of 0 does not stop a new one"));
    return "set to 0 inside, a new one is refused";
  });
}

Result<> enter(const std::string& target, const char* kind, int type) {
  ASSIGN_OR_RETURN(const auto space, sys::open(target + "/ns/" + kind, O_RDONLY));
  const auto entered = sys::setns(space.get(), type);
  if (!entered) return base::failed_call(std::string("setns(") + kind + ")", entered.error().sys_errno);
  ASSIGN_OR_RETURN(const auto theirs, sys::readlinkat(AT_FDCWD, target + "/ns/" + kind));
  ASSIGN_OR_RETURN(const auto ours, sys::readlinkat(AT_FDCWD, std::string("/proc/self/ns/") + kind));
  if (ours == theirs) return {};
  return base::fail(Code::kInternal, std::string("setns left us outside the ") + kind + " namespace");
}

Result<std::string> enter_all(pid_t target) {
  const std::string proc = "/proc/" + std::to_string(target);
  RETURN_IF_ERROR(enter(proc, "uts", CLONE_NEWUTS));
  RETURN_IF_ERROR(enter(proc, "net", CLONE_NEWNET));
  RETURN_IF_ERROR(enter(proc, "ipc", CLONE_NEWIPC));
  RETURN_IF_ERROR(enter(proc, "mnt", CLONE_NEWNS));
  RETURN_IF_ERROR(enter(proc, "user", CLONE_NEWUSER));
  return "entered those of another process";
}

Result<std::string> try_setns(const Host&) {
  constexpr int kNamespaces = CLONE_NEWUSER | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWNS;
  ASSIGN_OR_RETURN(auto done, sys::make_pipe());
  const auto stay = [&] -> Result<std::string> {
    done.write.reset();
    RETURN_IF_ERROR(sys::read_all(done.read.get()));  // ends when the visitor's side is closed
    return "stayed";
  };
  std::string entered;
  const auto visit = [&](pid_t pid) -> Result<> {
    ASSIGN_OR_RETURN(entered, run_nested([&] { return enter_all(pid); }));
    done.write.reset();
    return {};
  };
  RETURN_IF_ERROR(run_beside(stay, visit, kNamespaces));
  return entered;
}

constexpr Check made(const char* id, const char* why, Attempt attempt) {
  return {.id = id,
          .level = Level::kRequired,
          .needed = "a new one can be made",
          .why = why,
          .fix = kKernelFix,
          .attempt = attempt};
}

constexpr std::array kChecks = {
    Check{.id = "ns.user",
          .level = Level::kRequired,
          .needed = "a new one can be made and 65536 ids mapped into it",
          .why = "root inside a sandbox is nobody on the machine, and no two sandboxes share an id",
          .fix = "sysctl -w user.max_user_namespaces=65536; the kernel needs CONFIG_USER_NS",
          .attempt = try_user_namespace},
    Check{.id = "ns.user_nested",
          .level = Level::kRequired,
          .needed = "one below another, whose root may act inside",
          .why = "sandboxes are children of their template's nursery",
          .fix = "on Ubuntu: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
          .attempt = try_namespace_below_namespace},
    made("ns.mount", "a sandbox sees its own file system only", try_namespace<CLONE_NEWNS>),
    made("ns.pid", "a sandbox sees and signals its own processes only", try_namespace<CLONE_NEWPID>),
    made("ns.net", "a sandbox has no network but what it is given", try_namespace<CLONE_NEWNET>),
    made("ns.ipc", "a sandbox shares no memory segments or queues with others", try_namespace<CLONE_NEWIPC>),
    made("ns.uts", "a sandbox has a host name of its own", try_namespace<CLONE_NEWUTS>),
    made("ns.cgroup", "a sandbox does not learn where it stands among others",
         try_namespace<CLONE_NEWCGROUP>),
    Check{.id = "ns.proc",
          .level = Level::kRequired,
          .needed = "a fresh /proc can be mounted in a sandbox's namespaces",
          .why = "programs need /proc, and the machine's own would show its processes",
          .fix = "nothing may be mounted over parts of the machine's /proc: findmnt -R /proc shows what is",
          .attempt = try_proc},
    Check{.id = "ns.nested_off",
          .level = Level::kRequired,
          .needed = "user.max_user_namespaces can be set to 0 inside",
          .why = "namespaces made inside a sandbox open parts of the kernel that it has no need for",
          .fix = "the kernel needs CONFIG_SYSCTL, and /proc/sys must not be read-only",
          .attempt = try_forbidding_namespaces},
    Check{.id = "ns.enter",
          .level = Level::kRequired,
          .needed = "setns into user, mnt, net, ipc and uts namespaces",
          .why = "a preloaded interpreter is moved into a sandbox that exists already",
          .fix = kKernelFix,
          .attempt = try_setns},
};

}  // namespace

std::span<const Check> namespace_checks() { return kChecks; }

}  // namespace doctor
