// The generated programs against the table, on inputs drawn close to the table's own constants.
#include "jail/seccomp_model.h"

#include <gtest/gtest.h>
#include <linux/audit.h>

#include <algorithm>
#include <random>

#include "jail/seccomp_filter.h"

namespace jail {
namespace {

constexpr int kInputsPerProfile = 2'500'000;

class Inputs {
 public:
  explicit Inputs(std::uint64_t seed) : random_(seed) {}

  seccomp_data next() {
    const auto rules = arg_rules();
    const ArgRule& rule = rules[below(rules.size())];
    seccomp_data data{.nr = number(rule), .arch = arch(), .instruction_pointer = random_(), .args = {}};
    std::ranges::generate(data.args, [this] { return free_argument(); });
    for (const ArgTest& test : rule.tests) data.args[test.arg] = argument_near(test);
    return data;
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  int number(const ArgRule& rule) {
    if (!one_in(4)) return *call_number(rule.call);
    if (!one_in(8)) return static_cast<int>(below(kCallNumberLimit));
    if (one_in(4)) return -1;
    if (one_in(2)) return static_cast<int>(0x4000'0000u | below(kCallNumberLimit));
    return static_cast<int>(random_());
  }

  std::uint32_t arch() {
    if (!one_in(64)) return AUDIT_ARCH_X86_64;
    if (one_in(2)) return AUDIT_ARCH_I386;
    return static_cast<std::uint32_t>(random_());
  }

  std::uint64_t free_argument() { return one_in(2) ? below(512) : random_(); }

  std::uint64_t argument_near(const ArgTest& test) {
    if (one_in(8)) return free_argument();
    std::uint64_t value = test.one_of.begin()[below(test.one_of.count)];
    if (one_in(2)) value |= random_() & ~test.mask;
    if (one_in(8)) value ^= std::uint64_t{1} << below(64);
    if (one_in(8)) value += below(3) - 1;
    return value;
  }

  std::mt19937_64 random_;
};

std::uint32_t gate_by_rule(const seccomp_data& data) {
  if (data.arch != AUDIT_ARCH_X86_64) return SECCOMP_RET_KILL_PROCESS;
  const bool x32 = static_cast<std::uint32_t>(data.nr) >= 0x4000'0000u && data.nr != -1;
  return x32 ? SECCOMP_RET_ERRNO | ENOSYS : SECCOMP_RET_ALLOW;
}

std::string describe(const seccomp_data& data) {
  std::string text = "nr " + std::to_string(data.nr) + " arch " + std::to_string(data.arch) + " args";
  for (const std::uint64_t arg : data.args) text += ' ' + std::to_string(arg);
  return text;
}

class SeccompPrograms : public testing::TestWithParam<SeccompProfile> {};

TEST_P(SeccompPrograms, AgreeWithTheTableAndTakeEveryBranch) {
  const auto program = build_filter(GetParam()).value();
  const SeccompModel model(GetParam());
  BpfCoverage coverage(program.size());
  Inputs inputs(1 + static_cast<std::uint64_t>(GetParam()));
  for (int i = 0; i < kInputsPerProfile; ++i) {
    const seccomp_data data = inputs.next();
    const std::uint32_t action = run_bpf(program, data, coverage).action;
    if (action != return_value_of(model.verdict(data))) FAIL() << describe(data) << " gives " << action;
  }
  EXPECT_TRUE(coverage.one_sided(program).empty())
      << coverage.one_sided(program).size() << " of " << program.size() << " instructions, first "
      << coverage.one_sided(program).front();
}

INSTANTIATE_TEST_SUITE_P(Profiles, SeccompPrograms, testing::ValuesIn(kSeccompProfiles),
                         [](const auto& tested) {
                           std::string name(name_of(tested.param));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(SeccompProgramsTogether, GateAgreesWithItsRuleAndTakesEveryBranch) {
  const auto program = abi_gate();
  BpfCoverage coverage(program.size());
  Inputs inputs(99);
  for (int i = 0; i < 100'000; ++i) {
    const seccomp_data data = inputs.next();
    ASSERT_EQ(run_bpf(program, data, coverage).action, gate_by_rule(data)) << describe(data);
  }
  EXPECT_TRUE(coverage.one_sided(program).empty());
}

// The spawner's filter lies below init's, and init's below those of its children; neither may take away or
// disguise anything of what stands on it.
TEST(SeccompProgramsTogether, StackOnEachOtherWithoutChange) {
  using enum SeccompProfile;
  const std::pair<SeccompProfile, SeccompProfile> stacks[] = {
      {kInit, kUser},    {kInit, kUserNoSetid},    {kInit, kRoot},    {kSpawner, kInit},
      {kSpawner, kUser}, {kSpawner, kUserNoSetid}, {kSpawner, kRoot}, {kSpawner, kZygote},
      {kZygote, kUser},  {kZygote, kUserNoSetid},
  };
  Inputs inputs(7);
  for (const auto& [below, above] : stacks) {
    const SeccompModel init(below);
    const SeccompModel model(above);
    for (int i = 0; i < 100'000; ++i) {
      const seccomp_data data = inputs.next();
      const std::uint32_t alone = return_value_of(model.verdict(data));
      ASSERT_EQ(strictest(return_value_of(init.verdict(data)), alone), alone) << describe(data);
    }
  }
}

TEST(SeccompProgramsTogether, GiveRootModeNoCallThatUsersLack) {
  EXPECT_EQ(filter_hash(build_filter(SeccompProfile::kRoot).value()),
            filter_hash(build_filter(SeccompProfile::kUser).value()));
}

}  // namespace
}  // namespace jail
