#include "doctor/environment.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "doctor/host_text.h"
#include "sys/file.h"

namespace doctor {

namespace {

constexpr const char* kContainerMeaning =
    "A container shares its host's kernel and is usually denied what Cove is made of. Docker's default "
    "options "
    "take away CAP_SYS_ADMIN, refuse mount, unshare, setns and clone3 by seccomp, hide parts of /proc and "
    "mount "
    "/sys/fs/cgroup read-only; so no sandbox can be built inside. Run Cove on the machine itself or in a "
    "virtual "
    "machine. To try it in a container nevertheless: docker run --privileged --cgroupns=host "
    "-v /sys/fs/cgroup:/sys/fs/cgroup:rw -v cove:/var/lib/cove (a volume, because an overlay cannot lie on "
    "an "
    "overlay). A privileged container is no wall: who breaks out of a sandbox then has the host.";
constexpr const char* kWsl1Meaning =
    "WSL 1 imitates Linux system calls without a Linux kernel: it has no namespaces, cgroups or seccomp. "
    "Convert "
    "the distribution from Windows: wsl --set-version <name> 2";
constexpr const char* kWsl2Meaning =
    "WSL 2 runs a real Linux kernel in a virtual machine, so Cove can work. Keep the state directory on the "
    "Linux disk (a Windows drive under /mnt/c has no idmapped mounts), bring the kernel up to date with "
    "wsl --update, and set kernelCommandLine=cgroup_no_v1=all in .wslconfig for cgroup v2. The virtual "
    "machine is "
    "shared with every other WSL distribution, and Windows drives and programs are reachable from it: a "
    "sandbox "
    "sees neither, yet one that breaks out would.";

struct Name {
  std::string_view mark;
  const char* name;
};

// container= as the engines set it; another value is shown as it is.
constexpr std::array kVariableNames = {
    Name{"docker", "Docker container"},
    Name{"podman", "Podman container"},
    Name{"lxc", "LXC container"},
    Name{"lxc-libvirt", "LXC container"},
    Name{"systemd-nspawn", "nspawn container"},
    Name{"oci", "OCI container"},
    Name{"kube", "Kubernetes container"},
};
// Parts of paths in /proc/1/cgroup and of mount sources.
constexpr std::array kPathNames = {
    Name{"kubepods", "Kubernetes container"},
    Name{"libpod", "Podman container"},
    Name{"/docker/", "Docker container"},
    Name{"docker-", "Docker container"},
    Name{"/lxc/", "LXC container"},
    Name{"lxc.payload", "LXC container"},
    Name{"/containerd/", "containerd container"},
};

// The kernel numbers its first namespaces from constants (include/linux/proc_ns.h).
constexpr std::array<std::pair<std::string_view, ino_t>, 3> kFirstNamespaces = {
    {{"cgroup", 0xEFFFFFFB}, {"pid", 0xEFFFFFFC}, {"user", 0xEFFFFFFD}}};

std::string text_of(const std::string& path) { return sys::read_file(path, 16 << 20).value_or(""); }

Seen exists(const char* path) {
  struct stat found{};
  return ::stat(path, &found) == 0 ? Seen::kYes : Seen::kNo;
}

// Where the root and files such as /etc/hostname come from, without mounts of other containers that a host
// has.
std::string own_mount_sources(std::string_view mountinfo) {
  std::string out;
  for (const Mount& mount : parse_mountinfo(mountinfo)) {
    if (mount.mount_point != "/" && mount.mount_point != "/etc/hostname") continue;
    out += mount.root + " ";
    for (const auto& option : mount.super_options) out += option + " ";
  }
  return out;
}

// The container engine by the marks it leaves; empty when there are none.
std::string engine_of(const Traces& traces) {
  if (!traces.container_variable.empty()) {
    for (const Name& known : kVariableNames) {
      if (traces.container_variable == known.mark) return known.name;
    }
    return traces.container_variable + " container";
  }
  if (traces.containerenv == Seen::kYes) return "Podman container";
  const std::string paths = traces.cgroup_membership + own_mount_sources(traces.mountinfo);
  for (const Name& known : kPathNames) {
    if (paths.contains(known.mark)) return known.name;
  }
  return traces.dockerenv == Seen::kYes ? "Docker container" : "";
}

bool is_wsl(const Traces& traces) {
  return traces.proc_version.contains("Microsoft") || traces.proc_version.contains("microsoft");
}

// WSL 1 reports the frozen 4.4.0 of its imitation; WSL 2 boots a real kernel of 4.19 or later.
Environment wsl(const Traces& traces) {
  const auto version = parse_kernel_version(traces.proc_version);
  if (version && *version < KernelVersion{4, 19}) return {EnvironmentKind::kWsl1, "WSL 1", kWsl1Meaning};
  return {EnvironmentKind::kWsl2, "WSL 2", kWsl2Meaning};
}

Environment machine(const Traces& traces) {
  if (traces.hypervisor_flag == Seen::kNo) return {EnvironmentKind::kBareMetal, "bare metal", ""};
  const std::string vendor = traces.machine_vendor.empty() ? "" : " (" + traces.machine_vendor + ")";
  return {EnvironmentKind::kVirtualMachine, "virtual machine" + vendor, ""};
}

Seen has_hypervisor_flag(const std::string& cpuinfo) {
  for (const auto line : split(cpuinfo, '\n')) {
    if (line.starts_with("flags")) return line.contains(" hypervisor") ? Seen::kYes : Seen::kNo;
  }
  return Seen::kNo;
}

}  // namespace

bool is_first_namespace(const std::string& kind) {
  const auto first =
      std::ranges::find(kFirstNamespaces, std::string_view(kind), [](const auto& p) { return p.first; });
  struct stat found{};
  return first != kFirstNamespaces.end() && ::stat(("/proc/self/ns/" + kind).c_str(), &found) == 0 &&
         found.st_ino == first->second;
}

Traces gather_traces() {
  Traces out{.proc_version = text_of("/proc/version"),
             .container_variable = environment_value(text_of("/proc/1/environ"), "container"),
             .cgroup_membership = text_of("/proc/1/cgroup"),
             .mountinfo = text_of("/proc/self/mountinfo"),
             .dockerenv = exists("/.dockerenv"),
             .containerenv = exists("/run/.containerenv"),
             .hypervisor_flag = has_hypervisor_flag(text_of("/proc/cpuinfo")),
             .machine_vendor = std::string(trimmed(text_of("/sys/class/dmi/id/sys_vendor")))};
  if (out.container_variable.empty()) out.container_variable = trimmed(text_of("/run/systemd/container"));
  const bool all_first =
      is_first_namespace("pid") && is_first_namespace("cgroup") && is_first_namespace("user");
  out.own_namespaces = all_first ? Seen::kNo : Seen::kYes;
  return out;
}

Environment classify(const Traces& traces) {
  const std::string engine = engine_of(traces);
  // Marks alone are not enough: virtual machines are often booted from an unpacked container image.
  if (!engine.empty() && traces.own_namespaces == Seen::kYes) {
    const char* where = is_wsl(traces) ? " on WSL" : "";
    return {EnvironmentKind::kContainer, engine + where, kContainerMeaning};
  }
  // A WSL distribution has namespaces of its own too, without being a container in this sense.
  if (is_wsl(traces)) return wsl(traces);
  if (traces.own_namespaces == Seen::kYes) {
    return {EnvironmentKind::kContainer, "container of an unknown kind", kContainerMeaning};
  }
  return machine(traces);
}

}  // namespace doctor
