#include "spawner/host.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "sys/file.h"

namespace spawner {

namespace {

base::Result<std::chrono::nanoseconds> read_clock(clockid_t clock) {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) return base::failed_call("clock_gettime");
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

base::Result<jail::Host> read_host() {
  jail::Host host;
  ASSIGN_OR_RETURN(host.cpus, sys::cpus_of(0));
  ASSIGN_OR_RETURN(const auto cpuinfo, sys::read_file("/proc/cpuinfo", 64 << 20));
  host.processor = jail::first_processor(cpuinfo);
  return host;
}

base::Result<std::int64_t> boot_time() {
  ASSIGN_OR_RETURN(const auto now, read_clock(CLOCK_REALTIME));
  ASSIGN_OR_RETURN(const auto since_boot, read_clock(CLOCK_BOOTTIME));
  return std::chrono::floor<std::chrono::seconds>(now - since_boot).count();
}

CpuUse::CpuUse(const sys::CpuNumbers& cpus) {
  for (const unsigned cpu : cpus) sandboxes_[cpu] = 0;
}

void CpuUse::add(const sys::CpuNumbers& cpus) {
  for (const unsigned cpu : cpus) {
    // One that is ours no more, in the books of a sandbox from before.
    if (const auto found = sandboxes_.find(cpu); found != sandboxes_.end()) ++found->second;
  }
}

base::Result<sys::CpuNumbers> CpuUse::least_used(unsigned count) const {
  if (count > sandboxes_.size()) {
    return base::fail(base::Code::kInvalid,
                      fmt::format("{} CPUs are more than this host has for sandboxes ({}); "
                                  "ask for at most that many",
                                  count, sandboxes_.size()));
  }
  std::vector<std::pair<unsigned, unsigned>> by_use;  // sandboxes, CPU
  by_use.reserve(sandboxes_.size());
  for (const auto& [cpu, sandboxes] : sandboxes_) by_use.emplace_back(sandboxes, cpu);
  std::ranges::sort(by_use);
  sys::CpuNumbers chosen;
  for (unsigned i = 0; i < count; ++i) chosen.push_back(by_use[i].second);
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace spawner
