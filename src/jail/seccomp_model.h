// For tests and fuzzing: what the kernel does with a seccomp program, and what the policy table says by
// itself.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "jail/seccomp_calls.h"
#include "jail/seccomp_table.h"

namespace jail {

// Which ways out of each instruction have been taken.
struct BpfCoverage {
  static constexpr std::uint8_t kTaken = 1;
  static constexpr std::uint8_t kNotTaken = 2;

  explicit BpfCoverage(std::size_t instructions) : seen(instructions) {}
  // Conditional jumps of which one side was never taken.
  std::vector<std::size_t> one_sided(std::span<const sock_filter> program) const;

  std::vector<std::uint8_t> seen;
};

struct BpfOutcome {
  std::uint32_t action;
  bool read_arguments;  // the kernel caches "always allowed" only for calls decided without them
};

// Runs a classic BPF program as the kernel does. Aborts on an instruction that libseccomp does not emit.
BpfOutcome run_bpf(std::span<const sock_filter> program, const seccomp_data& data, BpfCoverage& coverage);

// The policy table read in the order in which it is written: no libseccomp, no stages, no BPF.
class SeccompModel {
 public:
  explicit SeccompModel(SeccompProfile profile);

  SeccompVerdict verdict(const seccomp_data& data) const;
  bool has_argument_rules(int call) const { return !rules_[static_cast<std::size_t>(call)].empty(); }

 private:
  std::array<SeccompVerdict, kCallNumberLimit> by_number_;
  std::array<std::vector<const ArgRule*>, kCallNumberLimit> rules_;
};

// The return value that carries this verdict to the kernel.
std::uint32_t return_value_of(SeccompVerdict verdict);

// The answer of several installed filters: the strictest, and among equals the last installed.
std::uint32_t strictest(std::uint32_t first_installed, std::uint32_t then_installed);

}  // namespace jail
