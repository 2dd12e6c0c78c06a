#include "sys/cgroup_mounts.h"

#include "tests/support/result.h"

namespace sys {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(CgroupMounts, APureV2Host) {
  const auto mounts = parse_cgroup_mounts(
      "24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
      "31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 master:2 - cgroup2 cgroup2 rw,nsdelegate\n");
  EXPECT_EQ(mounts.unified, "/sys/fs/cgroup");
  EXPECT_THAT(mounts.controllers, IsEmpty());
}

TEST(CgroupMounts, AHybridHostWithControllersMountedTogether) {
  const auto mounts = parse_cgroup_mounts(
      "31 24 0:27 / /sys/fs/cgroup ro - tmpfs tmpfs ro\n"
      "32 31 0:28 / /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw\n"
      "33 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
      "34 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "35 31 0:31 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
      "36 31 0:32 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids");
  EXPECT_EQ(mounts.unified, "/sys/fs/cgroup/unified");
  EXPECT_THAT(mounts.controllers, UnorderedElementsAre(Pair("cpu", "/sys/fs/cgroup/cpu,cpuacct"),
                                                       Pair("memory", "/sys/fs/cgroup/memory"),
                                                       Pair("pids", "/sys/fs/cgroup/pids")));
}

TEST(CgroupMounts, TheFirstMountOfAHierarchyCounts) {
  const auto mounts = parse_cgroup_mounts(
      "1 0 0:1 / /first rw - cgroup2 none rw\n"
      "2 0 0:1 / /second rw - cgroup2 none rw\n"
      "3 0 0:2 / /m1 rw - cgroup none rw,memory\n"
      "4 0 0:2 / /m2 rw - cgroup none rw,memory\n");
  EXPECT_EQ(mounts.unified, "/first");
  EXPECT_EQ(mounts.controllers.at("memory"), "/m1");
}

TEST(CgroupMounts, StrangeLinesMeanNothing) {
  for (const char* text : {"", "\n\n", "-", "- cgroup2 x rw", "1 2 3", "1 0 0:1 / /x rw - cgroup2",
                           "1 0 0:1 / /x rw cgroup2 none rw", "                -"}) {
    const auto mounts = parse_cgroup_mounts(text);
    EXPECT_EQ(mounts.unified, "") << text;
    EXPECT_THAT(mounts.controllers, IsEmpty()) << text;
  }
}

TEST(CgroupMounts, ThisHostHasAUnifiedHierarchy) {
  ASSERT_OK_AND_ASSIGN(const auto mounts, find_cgroup_mounts());
  EXPECT_NE(mounts.unified, "");
}

}  // namespace
}  // namespace sys
