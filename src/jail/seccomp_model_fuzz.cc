// Any seccomp_data must get the same answer from the generated programs and from the policy table.
#include <linux/audit.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "jail/seccomp_filter.h"
#include "jail/seccomp_model.h"

namespace {

struct Pair {
  explicit Pair(jail::SeccompProfile profile)
      : program(jail::build_filter(profile).value()), model(profile), coverage(program.size()) {}
  std::vector<sock_filter> program;
  jail::SeccompModel model;
  jail::BpfCoverage coverage;
};

Pair& pair_for(std::size_t choice) {
  static std::array pairs{Pair(jail::SeccompProfile::kUser),    Pair(jail::SeccompProfile::kUserNoSetid),
                          Pair(jail::SeccompProfile::kRoot),    Pair(jail::SeccompProfile::kInit),
                          Pair(jail::SeccompProfile::kSpawner), Pair(jail::SeccompProfile::kZygote)};
  return pairs[choice % pairs.size()];
}

// The first byte chooses the profile and whether to keep the architecture; the rest is the seccomp_data.
constexpr std::size_t kHeader = 1;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < kHeader) return 0;
  seccomp_data data{};
  std::memcpy(&data, bytes + kHeader, std::min(size - kHeader, sizeof(data)));
  // A random architecture would end nearly every input at once.
  if ((bytes[0] & 0x80) == 0) data.arch = AUDIT_ARCH_X86_64;
  Pair& pair = pair_for(bytes[0]);
  const std::uint32_t action = jail::run_bpf(pair.program, data, pair.coverage).action;
  BASE_CHECK(action == jail::return_value_of(pair.model.verdict(data)));
  return 0;
}
