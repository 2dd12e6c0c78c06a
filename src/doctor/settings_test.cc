#include "doctor/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace doctor {
namespace {

Finding judged(const std::string& name, std::optional<std::string> value) {
  const auto all =
      judge_settings([&](const std::string& asked) { return asked == name ? value : std::nullopt; });
  const auto it = std::ranges::find(all, name, &Finding::id);
  return it == all.end() ? Finding{} : *it;
}

TEST(Settings, AGoodValueIsOk) {
  EXPECT_EQ(judged("fs.protected_symlinks", "1\n").status, Status::kOk);
  EXPECT_EQ(judged("fs.protected_regular", "2\n").status, Status::kOk);
  EXPECT_EQ(judged("user.max_user_namespaces", "96349\n").status, Status::kOk);
}

TEST(Settings, APoorValueIsWeakAndTheFixNamesTheSetting) {
  const auto finding = judged("kernel.kptr_restrict", "0\n");
  EXPECT_EQ(finding.status, Status::kWeak);
  EXPECT_EQ(finding.found, "0");
  EXPECT_EQ(finding.needed, "2");
  EXPECT_THAT(finding.fix, ::testing::HasSubstr("sysctl -w kernel.kptr_restrict=2"));
  EXPECT_EQ(judged("dev.tty.legacy_tiocsti", "1\n").status, Status::kWeak);
}

TEST(Settings, NoUserNamespacesAtAllIsMissingAndFewAreWeak) {
  const auto none = judged("user.max_user_namespaces", "0\n");
  EXPECT_EQ(none.level, Level::kRequired);
  EXPECT_EQ(none.status, Status::kMissing);
  EXPECT_EQ(judged("user.max_user_namespaces", "100\n").status, Status::kWeak);
}

TEST(Settings, WhatAnOlderKernelLacksIsFineOnlyWhereTheDangerIsLackingToo) {
  EXPECT_EQ(judged("kernel.io_uring_disabled", std::nullopt).status, Status::kOk);
  EXPECT_EQ(judged("fs.protected_symlinks", std::nullopt).status, Status::kUnknown);
  EXPECT_EQ(judged("kernel.pid_max", "many").status, Status::kUnknown);
}

TEST(Settings, ACorePatternThatStartsAProgramIsWeak) {
  EXPECT_EQ(judged("kernel.core_pattern", "|/usr/share/apport/apport -p%p\n").status, Status::kWeak);
  EXPECT_EQ(judged("kernel.core_pattern", "core\n").status, Status::kOk);
}

}  // namespace
}  // namespace doctor
