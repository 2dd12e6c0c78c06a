#include "sys/affinity.h"

#include <sched.h>

#include <array>
#include <climits>
#include <string>

namespace sys {

namespace {

// The largest number of CPUs that a Linux can be built for: a smaller mask is refused on a larger machine.
constexpr unsigned kMostCpus = 8192;
constexpr unsigned kWordBits = sizeof(unsigned long) * CHAR_BIT;

struct Mask {
  std::array<unsigned long, kMostCpus / kWordBits> words{};

  cpu_set_t* set() { return reinterpret_cast<cpu_set_t*>(words.data()); }
  const cpu_set_t* set() const { return reinterpret_cast<const cpu_set_t*>(words.data()); }
  bool has(unsigned cpu) const { return ((words[cpu / kWordBits] >> (cpu % kWordBits)) & 1UL) != 0; }
  void add(unsigned cpu) { words[cpu / kWordBits] |= 1UL << (cpu % kWordBits); }
};

}  // namespace

base::Result<CpuNumbers> cpus_of(pid_t pid) {
  Mask mask;
  if (::sched_getaffinity(pid, sizeof mask, mask.set()) != 0) {
    return base::failed_call("sched_getaffinity(" + std::to_string(pid) + ")");
  }
  CpuNumbers cpus;
  for (unsigned cpu = 0; cpu < kMostCpus; ++cpu) {
    if (mask.has(cpu)) cpus.push_back(cpu);
  }
  return cpus;
}

base::Result<> run_on(const CpuNumbers& cpus) {
  Mask mask;
  std::string names;
  for (const unsigned cpu : cpus) {
    if (cpu >= kMostCpus) return base::fail(base::Code::kInvalid, "no CPU " + std::to_string(cpu));
    mask.add(cpu);
    names += (names.empty() ? "" : ",") + std::to_string(cpu);
  }
  if (::sched_setaffinity(0, sizeof mask, mask.set()) != 0) {
    return base::failed_call("sched_setaffinity(" + names + ")");
  }
  return {};
}

}  // namespace sys
