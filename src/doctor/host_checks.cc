// The machine and who we are on it.
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>

#include "doctor/check.h"
#include "doctor/host_text.h"
#include "sys/caps.h"

namespace doctor {

namespace {

Outcome look_at_root(const Host& host) {
  const std::string uid = "uid " + std::to_string(::geteuid());
  if (host.privilege == Privilege::kUser) return {Status::kMissing, uid};
  if (!is_first_namespace("user"))
    return {Status::kMissing, uid + " of a user namespace, not of the machine"};
  return {Status::kOk, uid};
}

struct NamedCap {
  int number;
  const char* name;
};
constexpr std::array kNeededCaps = {
    NamedCap{CAP_CHOWN, "CHOWN"},           NamedCap{CAP_DAC_OVERRIDE, "DAC_OVERRIDE"},
    NamedCap{CAP_FOWNER, "FOWNER"},         NamedCap{CAP_KILL, "KILL"},
    NamedCap{CAP_SETGID, "SETGID"},         NamedCap{CAP_SETUID, "SETUID"},
    NamedCap{CAP_SETPCAP, "SETPCAP"},       NamedCap{CAP_SETFCAP, "SETFCAP"},
    NamedCap{CAP_NET_ADMIN, "NET_ADMIN"},   NamedCap{CAP_SYS_CHROOT, "SYS_CHROOT"},
    NamedCap{CAP_SYS_PTRACE, "SYS_PTRACE"}, NamedCap{CAP_SYS_ADMIN, "SYS_ADMIN"},
    NamedCap{CAP_MKNOD, "MKNOD"},
};

Outcome look_at_capabilities(const Host& host) {
  std::string lacking;
  for (const NamedCap& needed : kNeededCaps) {
    if ((host.capabilities & sys::cap(needed.number)) == 0) lacking += std::string(" ") + needed.name;
  }
  if (lacking.empty()) return {Status::kOk, "all that are needed"};
  return {Status::kMissing, "without" + lacking};
}

Outcome look_at_architecture(const Host&) {
  utsname names{};
  if (::uname(&names) != 0) return {Status::kUnknown, "uname failed"};
  const std::string machine = names.machine;
  return {machine == "x86_64" ? Status::kOk : Status::kMissing, machine};
}

Outcome look_at_kernel(const Host& host) {
  const auto version = parse_kernel_version(host.release);
  if (!version) return {Status::kUnknown, host.release};
  return {*version < KernelVersion{6, 1} ? Status::kWeak : Status::kOk, host.release};
}

Outcome look_at_environment(const Host& host) {
  switch (host.environment.kind) {
    case EnvironmentKind::kBareMetal:
    case EnvironmentKind::kVirtualMachine:
      return {Status::kOk, host.environment.name};
    case EnvironmentKind::kWsl2:
    case EnvironmentKind::kContainer:
      return {Status::kWeak, host.environment.name};
    case EnvironmentKind::kWsl1:
      return {Status::kMissing, host.environment.name};
  }
  return {Status::kUnknown, host.environment.name};
}

struct Device {
  const char* path;
  unsigned major;
  unsigned minor;
};
constexpr std::array kDevices = {
    Device{"/dev/null", 1, 3},   Device{"/dev/zero", 1, 5},    Device{"/dev/full", 1, 7},
    Device{"/dev/random", 1, 8}, Device{"/dev/urandom", 1, 9}, Device{"/dev/tty", 5, 0},
};

Outcome look_at_devices(const Host&) {
  std::string wrong;
  for (const Device& device : kDevices) {
    struct stat found{};
    const bool right = ::stat(device.path, &found) == 0 && S_ISCHR(found.st_mode) &&
                       found.st_rdev == makedev(device.major, device.minor);
    if (!right) wrong += std::string(" ") + device.path;
  }
  if (wrong.empty()) return {Status::kOk, "null, zero, full, random, urandom, tty"};
  return {Status::kMissing, "not the right device:" + wrong};
}

constexpr std::array kChecks = {
    Check{.id = "root",
          .level = Level::kRequired,
          .needed = "uid 0 of the machine",
          .why = "making mounts, cgroups and blocks of user ids for a sandbox is the machine's root's "
                 "privilege; what "
                 "runs inside a sandbox has none of it",
          .fix = "run this command with sudo, or as root",
          .look = look_at_root},
    Check{
        .id = "caps",
        .level = Level::kRequired,
        .needed = "those that root has by default",
        .why =
            "the spawner builds namespaces, id maps, mounts and device nodes, and gives all of it up inside",
        .fix = "run as full root; in a service unit remove CapabilityBoundingSet= and NoNewPrivileges=",
        .look = look_at_capabilities},
    Check{.id = "arch",
          .level = Level::kRequired,
          .needed = "x86_64",
          .why = "the system call filter is a table of x86-64 call numbers",
          .fix = "use an x86-64 machine",
          .look = look_at_architecture},
    Check{
        .id = "environment",
        .level = Level::kAdvised,
        .needed = "bare metal or a virtual machine",
        .why =
            "in a container or WSL the kernel is shared with more than Cove, and parts of it are taken away",
        .fix = "see the note on this environment",
        .look = look_at_environment},
    Check{.id = "kernel.version",
          .level = Level::kAdvised,
          .needed = "6.1 or later, with its distribution's security updates",
          .why = "every sandbox shares this kernel, so its bugs are everybody's; whether it has what Cove "
                 "needs is "
                 "tried below, not guessed from the number",
          .fix = "apt-get update && apt-get full-upgrade, then reboot",
          .look = look_at_kernel},
    Check{.id = "dev.nodes",
          .level = Level::kRequired,
          .needed = "/dev/null, zero, full, random, urandom, tty as the kernel numbers them",
          .why = "they are the six devices a sandbox sees",
          .fix = "mount -t devtmpfs devtmpfs /dev",
          .look = look_at_devices},
};

}  // namespace

std::span<const Check> host_checks() { return kChecks; }

}  // namespace doctor
