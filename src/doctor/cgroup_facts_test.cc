#include "doctor/cgroup_facts.h"

#include <gtest/gtest.h>

#include "doctor/test_hosts.h"

namespace doctor {
namespace {

TEST(CgroupFacts, PureV2TakesEveryControllerFromV2) {
  const auto facts =
      parse_cgroup_facts({test::kDebianMounts, test::kDebianControllers, test::kDebianPassedOn});
  EXPECT_EQ(describe(facts), "v2");
  EXPECT_EQ(facts.mounts.unified, "/sys/fs/cgroup");
  for (const char* controller : {"memory", "pids", "cpu"}) EXPECT_EQ(place_of(facts, controller), Place::kV2);
  EXPECT_FALSE(facts.favordynmods);
  EXPECT_EQ(facts.passed_on.size(), 4U);
}

TEST(CgroupFacts, HybridTakesEveryControllerFromV1) {
  const auto facts = parse_cgroup_facts({test::kHybridMounts, "\n", "\n"});
  EXPECT_EQ(describe(facts), "v1 controllers with a unified hierarchy beside them");
  EXPECT_EQ(facts.mounts.unified, "/sys/fs/cgroup/unified");
  EXPECT_EQ(facts.mounts.controllers.at("cpu"), "/sys/fs/cgroup/cpu,cpuacct");
  for (const char* controller : {"memory", "pids", "cpu"}) EXPECT_EQ(place_of(facts, controller), Place::kV1);
  EXPECT_TRUE(facts.favordynmods);
}

TEST(CgroupFacts, Wsl2IsHybridToo) {
  const auto facts = parse_cgroup_facts({test::kWsl2Mounts, "", ""});
  EXPECT_EQ(place_of(facts, "memory"), Place::kV1);
  EXPECT_EQ(facts.mounts.unified, "/sys/fs/cgroup/unified");
}

TEST(CgroupFacts, ControllersSplitOverBothVersionsDoNotCount) {
  const auto facts = parse_cgroup_facts({test::kHybridMounts, "io rdma", ""});
  EXPECT_EQ(place_of(facts, "io"), Place::kNowhere);
}

TEST(CgroupFacts, AHostWithoutCgroupsIsDescribed) {
  const auto facts = parse_cgroup_facts({"29 1 254:1 / / rw - ext4 /dev/vda1 rw\n", "", ""});
  EXPECT_EQ(describe(facts), "none");
  EXPECT_EQ(place_of(facts, "memory"), Place::kNowhere);
}

}  // namespace
}  // namespace doctor
