// What a sandbox's /proc and /sys say of the machine: the CPUs and the memory that it has, and no figure of
// the host's. Pure: text in, text out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sys/affinity.h"

namespace jail {

struct StaticFile {
  std::string path;
  std::string text;
};

// The host, as it is when the spawner starts.
struct Host {
  sys::CpuNumbers cpus;   // those that sandboxes may be given
  std::string processor;  // how /proc/cpuinfo describes one of them
};

// A sandbox's part of it.
struct Machine {
  sys::CpuNumbers cpus;
  std::string processor;
  std::int64_t boot_time = 0;  // seconds since 1970: what ps adds to find when a process has started
  std::uint64_t memory_bytes = 0;
};

// How many CPUs a share of so many thousandths is spread over.
constexpr unsigned whole_cpus(std::uint32_t cpu_millis) {
  return cpu_millis <= 1000 ? 1 : (cpu_millis + 999) / 1000;
}

// As the kernel writes sets of CPUs: "0-2,5".
std::string cpu_list(const sys::CpuNumbers& cpus);
// The first of the descriptions in the text of a /proc/cpuinfo.
std::string first_processor(std::string_view cpuinfo);

// Below /proc.
std::vector<StaticFile> machine_proc_files(const Machine& machine);
// Below /sys.
std::vector<StaticFile> machine_sys_files(const Machine& machine);

}  // namespace jail
