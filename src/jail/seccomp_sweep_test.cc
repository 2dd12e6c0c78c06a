// The generated programs against the table, number by number: nothing is left to chance here but the
// arguments.
#include <gtest/gtest.h>
#include <linux/audit.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "jail/seccomp_filter.h"
#include "jail/seccomp_model.h"

namespace jail {
namespace {

constexpr std::uint32_t kX32Bit = 0x4000'0000;
constexpr std::uint32_t kBothAbis[] = {AUDIT_ARCH_X86_64, AUDIT_ARCH_I386};
constexpr int kRandomArguments = 24;

// Every number that a call has or could get, the borders of the x32 range and what lies around them, and the
// ends of the scale.
std::vector<std::uint32_t> numbers() {
  std::vector<std::uint32_t> all;
  const auto add_range = [&all](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t number = first; number <= last; ++number) all.push_back(number);
  };
  add_range(0, 1023);
  add_range(kX32Bit - 64, kX32Bit + 1023);
  add_range(0x7fff'ffe0, 0x8000'0020);
  add_range(2 * kX32Bit + kX32Bit - 8, 2 * kX32Bit + kX32Bit + 520);
  for (const std::uint32_t number : {0xffff'fff0U, 0xffff'fffeU, 0xffff'ffffU}) all.push_back(number);
  return all;
}

class Arguments {
 public:
  // None, all bits, each rule's own values with foreign high bits, and chance.
  template <class Visit>
  void for_each(seccomp_data data, Visit visit) {
    for (const std::uint64_t fill : {std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0} << 32}) {
      std::ranges::fill(data.args, fill);
      visit(data);
    }
    for (int i = 0; i < kRandomArguments; ++i) {
      for (auto& argument : data.args) argument = (random_() << 32) | (random_() % 512);
      visit(data);
    }
    for (const ArgRule& rule : arg_rules()) {
      if (static_cast<std::uint32_t>(*call_number(rule.call)) !=
          (static_cast<std::uint32_t>(data.nr) & ~kX32Bit)) {
        continue;
      }
      for (const ArgTest& test : rule.tests) {
        data.args[test.arg] = (random_() << 32) | test.one_of.begin()[random_() % test.one_of.count];
      }
      visit(data);
    }
  }

 private:
  std::mt19937_64 random_{2026};
};

class SeccompSweep : public testing::TestWithParam<SeccompProfile> {};

TEST_P(SeccompSweep, EveryNumberOfBothAbisIsJudgedAsTheTableSays) {
  const auto program = build_filter(GetParam()).value();
  const SeccompModel model(GetParam());
  BpfCoverage coverage(program.size());
  Arguments arguments;
  std::uint64_t judged = 0;
  for (const std::uint32_t arch : kBothAbis) {
    for (const std::uint32_t number : numbers()) {
      const seccomp_data call{
          .nr = static_cast<int>(number), .arch = arch, .instruction_pointer = 0, .args = {}};
      arguments.for_each(call, [&](const seccomp_data& data) {
        ++judged;
        ASSERT_EQ(run_bpf(program, data, coverage).action, return_value_of(model.verdict(data)))
            << "number " << number << " of arch " << arch << ", first argument " << data.args[0];
      });
    }
  }
  EXPECT_GT(judged, 2 * numbers().size() * kRandomArguments);
}

// The gate lies below each profile: together they kill the 32-bit ABI and know no x32 number.
TEST_P(SeccompSweep, NoNumberOfAForeignAbiPassesTheStack) {
  const auto gate = abi_gate();
  const auto program = build_filter(GetParam()).value();
  BpfCoverage gate_coverage(gate.size());
  BpfCoverage coverage(program.size());
  for (const std::uint32_t arch : kBothAbis) {
    for (const std::uint32_t number : numbers()) {
      const seccomp_data data{
          .nr = static_cast<int>(number), .arch = arch, .instruction_pointer = 0, .args = {}};
      const std::uint32_t action =
          strictest(run_bpf(gate, data, gate_coverage).action, run_bpf(program, data, coverage).action);
      if (arch != AUDIT_ARCH_X86_64) {
        ASSERT_EQ(action, static_cast<std::uint32_t>(SECCOMP_RET_KILL_PROCESS)) << number;
      } else if (number >= static_cast<std::uint32_t>(kCallNumberLimit)) {
        ASSERT_EQ(action, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(ENOSYS)) << number;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, SeccompSweep, testing::ValuesIn(kSeccompProfiles), [](const auto& tested) {
  std::string name(name_of(tested.param));
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace jail
