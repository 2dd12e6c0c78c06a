#include "jail/seccomp_table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "jail/seccomp_calls.h"

namespace jail {
namespace {

TEST(SeccompTable, AccountsForEveryKnownCallExactlyOnce) {
  std::map<std::string_view, int> listed;
  for (const CallGroup& group : call_groups()) {
    for_each_call(group.calls, [&](std::string_view name) { ++listed[name]; });
  }
  for (const SystemCall& call : system_calls()) EXPECT_EQ(listed[call.name], 1) << call.name;
  EXPECT_EQ(listed.size(), system_calls().size());
}

TEST(SeccompTable, GivesAReasonForEverything) {
  for (const CallGroup& group : call_groups()) EXPECT_FALSE(group.reason.empty()) << group.name;
  for (const ProfileChange& change : profile_changes()) EXPECT_FALSE(change.reason.empty()) << change.calls;
  for (const ArgRule& rule : arg_rules()) EXPECT_FALSE(rule.reason.empty()) << rule.call;
}

TEST(SeccompTable, ChangesOnlyKnownCalls) {
  for (const ProfileChange& change : profile_changes()) {
    for_each_call(change.calls, [](std::string_view name) { EXPECT_TRUE(call_number(name)) << name; });
  }
}

TEST(SeccompTable, HasArgumentRulesThatCanMatch) {
  for (const ArgRule& rule : arg_rules()) {
    EXPECT_TRUE(call_number(rule.call)) << rule.call;
    EXPECT_GT(rule.tests.count, 0u) << rule.call;
    std::set<unsigned> tested;
    for (const ArgTest& test : rule.tests) {
      EXPECT_LT(test.arg, 6u) << rule.call;
      EXPECT_TRUE(tested.insert(test.arg).second) << rule.call << " tests one argument twice";
      for (const std::uint64_t value : test.one_of) EXPECT_EQ(value & ~test.mask, 0u) << rule.call;
    }
  }
}

TEST(SeccompTable, LooksAtNoBitAboveTheLow32ButForNullPointers) {
  const auto asks_for_null = [](const ArgTest& test) {
    return test.mask == ~std::uint64_t{0} && test.one_of.count == 1 && *test.one_of.begin() == 0;
  };
  for (const ArgRule& rule : arg_rules()) {
    for (const ArgTest& test : rule.tests) {
      EXPECT_TRUE(test.mask >> 32 == 0 || asks_for_null(test)) << rule.call;
    }
  }
}

TEST(SeccompCalls, FindsNumbersAndNames) {
  EXPECT_EQ(call_number("read"), 0);
  EXPECT_EQ(call_number("clone3"), 435);
  EXPECT_EQ(call_number("no_such_call"), std::nullopt);
  EXPECT_EQ(call_name(452), "fchmodat2");
  EXPECT_EQ(call_name(400), std::nullopt);
  EXPECT_EQ(call_name(kCallNumberLimit), std::nullopt);
}

}  // namespace
}  // namespace jail
