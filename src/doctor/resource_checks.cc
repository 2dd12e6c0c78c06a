// Room: disk, memory, descriptors; and what else shares the machine's memory and processors.
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>

#include "doctor/check.h"
#include "doctor/host_text.h"
#include "sys/caps.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/project_quota.h"

namespace doctor {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

std::string text_of(const std::string& path) { return sys::read_file(path).value_or(""); }

std::string sized(std::uint64_t bytes) {
  if (bytes < kGiB) return std::to_string(bytes / kMiB) + " MiB";
  return std::to_string(bytes / kGiB) + "." + std::to_string(bytes % kGiB * 10 / kGiB) + " GiB";
}

// Whether somebody other than root could put another directory in the place of this one.
bool others_may_write(const struct stat& dir) {
  const bool sticky = (dir.st_mode & S_ISVTX) != 0;
  return dir.st_uid != 0 || ((dir.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !sticky);
}

Outcome look_at_state_directory(const Host& host) {
  const std::string& path = host.options.state_directory;
  if (!path.starts_with('/')) return {Status::kMissing, path + " is not an absolute path"};
  struct stat found{};
  if (::stat(path.c_str(), &found) == 0 && !S_ISDIR(found.st_mode)) {
    return {Status::kMissing, path + " is not a directory"};
  }
  struct statvfs fs{};
  if (::statvfs(host.state_ancestor.c_str(), &fs) != 0) return {Status::kUnknown, host.state_ancestor};
  if ((fs.f_flag & ST_RDONLY) != 0) return {Status::kMissing, host.state_ancestor + " is read-only"};
  if ((fs.f_flag & ST_NOEXEC) != 0) return {Status::kMissing, host.state_ancestor + " is mounted noexec"};
  if (::stat(host.state_ancestor.c_str(), &found) == 0 && others_may_write(found)) {
    return {Status::kWeak, host.state_ancestor + " can be written by others than root"};
  }
  if (host.state_ancestor == path) return {Status::kOk, path};
  return {Status::kOk, path + " (will be made in " + host.state_ancestor + ")"};
}

Outcome look_at_disk(const Host& host) {
  const auto free = sys::free_space(host.state_ancestor);
  if (!free) return {Status::kUnknown, free.error().message};
  const std::string found = sized(free->bytes) + " free for " + host.options.state_directory;
  if (free->bytes < 2 * kGiB) return {Status::kMissing, found};
  return {free->bytes < 10 * kGiB ? Status::kWeak : Status::kOk, found};
}

bool is_there(const char* path) { return ::access(path, R_OK) == 0; }

// The spawner's own choice, in the same order.
Outcome look_at_disk_backends(const Host& host) {
  const auto directory = sys::open(host.state_ancestor, O_RDONLY | O_DIRECTORY);
  if (!directory) return {Status::kUnknown, directory.error().message};
  const auto quota = sys::check_project_quota(directory->get());
  if (quota) return {Status::kOk, "project quota"};
  const std::string reasons = "no project quota: " + quota.error().message;
  const bool has_mkfs = is_there("/usr/sbin/mkfs.ext4") || is_there("/sbin/mkfs.ext4");
  if (!has_mkfs) return {Status::kWeak, "memory only (no mkfs.ext4; " + reasons + ")"};
  if (!is_there("/dev/loop-control")) {
    return {Status::kWeak, "memory only (no /dev/loop-control; " + reasons + ")"};
  }
  return {Status::kOk, "loop images (" + reasons + ")"};
}

Outcome look_at_memory(const Host&) {
  const std::string meminfo = text_of("/proc/meminfo");
  const auto total = parse_meminfo(meminfo, "MemTotal");
  const auto available = parse_meminfo(meminfo, "MemAvailable");
  if (!total || !available) return {Status::kUnknown, "/proc/meminfo says nothing"};
  const std::string found = sized(*total) + ", of which " + sized(*available) + " available";
  return {*total < 2 * kGiB || *available < kGiB ? Status::kWeak : Status::kOk, found};
}

Outcome look_at_descriptors(const Host&) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {Status::kUnknown, "getrlimit failed"};
  if (limit.rlim_max == RLIM_INFINITY) return {Status::kOk, "no limit"};
  return {limit.rlim_max < 65536 ? Status::kWeak : Status::kOk,
          "hard limit " + std::to_string(limit.rlim_max)};
}

Outcome look_at_own_capability(const Host&) {
  const std::string status = text_of("/proc/self/status");
  const std::size_t at = status.find("CapEff:");
  if (at == std::string::npos) return {Status::kUnknown, "/proc/self/status says nothing"};
  const auto effective = std::strtoull(status.c_str() + at + std::strlen("CapEff:"), nullptr, 16);
  const bool has = (effective & sys::cap(CAP_SYS_RESOURCE)) != 0;
  return {has ? Status::kOk : Status::kWeak, has ? "there" : "missing"};
}

// Compressed memory is no disk; a device-mapper device says by its uuid whether it encrypts.
bool is_harmless_swap(const std::string& device) {
  char* const real = ::realpath(device.c_str(), nullptr);
  const std::string path = real != nullptr ? real : device;
  std::free(real);
  const std::string name = path.substr(path.find_last_of('/') + 1);
  if (name.starts_with("zram")) return true;
  return name.starts_with("dm-") && text_of("/sys/block/" + name + "/dm/uuid").starts_with("CRYPT-");
}

Outcome look_at_swap(const Host&) {
  std::string plain;
  const auto all = parse_swaps(text_of("/proc/swaps"));
  for (const auto& device : all) {
    if (!is_harmless_swap(device)) plain += " " + device;
  }
  if (!plain.empty()) return {Status::kWeak, "unencrypted swap:" + plain};
  return {Status::kOk, all.empty() ? "off" : "encrypted or in memory"};
}

Outcome look_at_smt(const Host&) {
  const auto active = number(text_of("/sys/devices/system/cpu/smt/active"));
  if (!active) return {Status::kUnknown, "the kernel does not say"};
  return {*active == 1 ? Status::kWeak : Status::kOk, *active == 1 ? "on" : "off"};
}

Outcome look_at_mitigations(const Host&) {
  const std::string directory = "/sys/devices/system/cpu/vulnerabilities";
  const auto names = sys::entries(directory);
  if (!names) return {Status::kUnknown, "the kernel does not say"};
  std::string open;
  for (const auto& name : *names) {
    if (text_of(directory + "/" + name).starts_with("Vulnerable")) open += " " + name;
  }
  return open.empty() ? Outcome{Status::kOk, "all known ones"} : Outcome{Status::kWeak, "open:" + open};
}

Outcome look_for_mmdebstrap(const Host&) {
  const char* const set = std::getenv("PATH");
  const std::string path = std::string(set != nullptr ? set : "") + ":/usr/local/bin:/usr/bin:/bin";
  for (const auto directory : split(path, ':')) {
    const std::string program = std::string(directory) + "/mmdebstrap";
    if (!directory.empty() && ::access(program.c_str(), X_OK) == 0) return {Status::kOk, program};
  }
  return {Status::kMissing, "not on PATH"};
}

constexpr std::array kChecks = {
    Check{.id = "state.directory",
          .level = Level::kRequired,
          .needed = "a directory on a writable file system with exec, that only root can change",
          .why = "templates and disks of sandboxes live there, and programs run from it",
          .fix = "choose another place with --state, or remount its file system rw,exec and chown it to root",
          .look = look_at_state_directory},
    Check{.id = "disk.space",
          .level = Level::kRequired,
          .needed = "2 GiB, better 10 GiB",
          .why = "the base template takes over 1 GiB while it is built, and every sandbox has a disk",
          .fix = "free some space, or choose a state directory on another file system",
          .look = look_at_disk},
    Check{.id = "disk.backend",
          .level = Level::kAdvised,
          .needed = "project quota, or loop devices and mkfs.ext4",
          .why = "otherwise a sandbox's disk lives in its memory and cannot be larger than that",
          .fix =
              "apt-get install e2fsprogs and modprobe loop, or mount the state directory's file system with "
              "prjquota",
          .look = look_at_disk_backends},
    Check{.id = "memory",
          .level = Level::kAdvised,
          .needed = "2 GiB, of which 1 GiB available",
          .why = "a sandbox may take 512 MiB by default",
          .fix = "add memory, or give sandboxes less with --memory",
          .look = look_at_memory},
    Check{.id = "limits.nofile",
          .level = Level::kAdvised,
          .needed = "a hard limit of 65536 open files",
          .why = "the spawner holds several descriptors for each sandbox",
          .fix = "set LimitNOFILE=1048576 in the service unit, or ulimit -n before the start",
          .look = look_at_descriptors},
    Check{.id = "capability.resource",
          .level = Level::kAdvised,
          .needed = "CAP_SYS_RESOURCE",
          .why = "without it the sandboxes of a template share root's limits on message queues and pending "
                 "signals, and cannot be made the first victims when the machine runs out of memory",
          .fix = "start it outside of a container, or give that the capability",
          .look = look_at_own_capability},
    Check{.id = "swap",
          .level = Level::kAdvised,
          .needed = "off, encrypted or compressed in memory",
          .why = "what a sandbox holds in memory, secrets too, would be written to the disk in the clear",
          .fix = "swapoff -a and remove it from /etc/fstab, or put it on dm-crypt",
          .look = look_at_swap},
    Check{.id = "cpu.smt",
          .level = Level::kAdvised,
          .needed = "off when sandboxes of people who distrust each other share the machine",
          .why = "two sandboxes on the threads of one core can learn about each other by timing",
          .fix = "echo off > /sys/devices/system/cpu/smt/control, or boot with nosmt",
          .look = look_at_smt},
    Check{.id = "cpu.mitigations",
          .level = Level::kAdvised,
          .needed = "no processor flaw that the kernel calls Vulnerable",
          .why = "code in a sandbox could read memory of the kernel or of others",
          .fix = "update kernel and microcode, and do not boot with mitigations=off; in a virtual machine "
                 "this is the "
                 "provider's to mend",
          .look = look_at_mitigations},
    Check{.id = "tools.mmdebstrap",
          .level = Level::kAdvised,
          .needed = "mmdebstrap",
          .why = "cove template build makes root file systems with it; imported templates do without",
          .fix = "apt-get install mmdebstrap",
          .look = look_for_mmdebstrap},
};

}  // namespace

std::span<const Check> resource_checks() { return kChecks; }

}  // namespace doctor
