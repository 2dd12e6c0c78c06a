// Pure parsers of the texts by which a Linux host describes itself. They never fail: what cannot be
// understood is left out, because a doctor that stops at an odd line helps nobody.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace doctor {

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trimmed(std::string_view text);
std::optional<std::int64_t> number(std::string_view text);

// One line of /proc/self/mountinfo, with \040 and its like decoded.
struct Mount {
  std::string root;  // which part of the file system is mounted
  std::string mount_point;
  std::string type;
  std::string source;
  std::vector<std::string> mount_options;
  std::vector<std::string> super_options;

  bool has_super_option(std::string_view option) const;
};
std::vector<Mount> parse_mountinfo(std::string_view text);

// /proc/<pid>/cgroup: the group in each hierarchy. `controllers` is empty for the unified one.
struct CgroupMembership {
  std::string controllers;
  std::string path;
};
std::vector<CgroupMembership> parse_cgroup_membership(std::string_view text);

// KEY=value lines of os-release, quotes removed.
std::map<std::string, std::string> parse_os_release(std::string_view text);

struct KernelVersion {
  int major = 0;
  int minor = 0;
  auto operator<=>(const KernelVersion&) const = default;
};
// "6.18.44-fc" or the whole of /proc/version.
std::optional<KernelVersion> parse_kernel_version(std::string_view text);
// The third word of /proc/version: "6.18.44-fc".
std::string kernel_release(std::string_view proc_version);

// The hexadecimal mask after "CapEff:" and its like in /proc/<pid>/status.
std::optional<std::uint64_t> parse_capability_mask(std::string_view status, std::string_view key);

// The device or file column of /proc/swaps.
std::vector<std::string> parse_swaps(std::string_view text);

// "MemTotal" and its like of /proc/meminfo, in bytes.
std::optional<std::uint64_t> parse_meminfo(std::string_view text, std::string_view key);

// The value of one variable in a NUL-separated environment block; empty when absent.
std::string environment_value(std::string_view block, std::string_view name);

}  // namespace doctor
