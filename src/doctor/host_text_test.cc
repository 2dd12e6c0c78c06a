#include "doctor/host_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/test_hosts.h"

namespace doctor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Mountinfo, LinesWithAndWithoutOptionalFieldsAreUnderstood) {
  const auto mounts = parse_mountinfo(test::kDebianMounts);
  ASSERT_EQ(mounts.size(), 5U);
  EXPECT_EQ(mounts[3].type, "cgroup2");
  EXPECT_EQ(mounts[3].mount_point, "/sys/fs/cgroup");
  EXPECT_TRUE(mounts[3].has_super_option("nsdelegate"));
  EXPECT_FALSE(mounts[3].has_super_option("favordynmods"));
  const auto inside = parse_mountinfo(test::kDockerMounts);
  ASSERT_EQ(inside.size(), 7U);
  EXPECT_EQ(inside[5].root, "/var/lib/docker/containers/0123abcd/hostname");
  EXPECT_THAT(inside[4].mount_options, ElementsAre("ro", "nosuid", "nodev", "noexec", "relatime"));
}

TEST(Mountinfo, BlanksInPathsAreDecoded) {
  EXPECT_EQ(parse_mountinfo(test::kDebianMounts)[4].mount_point, "/srv/with blank");
}

TEST(Mountinfo, BrokenLinesAreLeftOut) {
  EXPECT_THAT(parse_mountinfo("nonsense\n1 2 3 - x\n1 2 0:1 / /a rw -\n\n"), IsEmpty());
  EXPECT_EQ(parse_mountinfo("1 2 0:1 / /a\\04 rw - tmpfs none rw")[0].mount_point, "/a\\04");
}

TEST(CgroupMembership, BothVersionsAreRead) {
  const auto groups =
      parse_cgroup_membership("12:cpu,cpuacct:/user.slice\n1:name=systemd:/a:b\n0::/init.scope\nbad\n");
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].controllers, "cpu,cpuacct");
  EXPECT_EQ(groups[1].path, "/a:b");
  EXPECT_EQ(groups[2].controllers, "");
  EXPECT_EQ(groups[2].path, "/init.scope");
}

TEST(OsRelease, QuotesAndCommentsAreRemoved) {
  auto fields = parse_os_release(test::kDebianRelease);
  EXPECT_EQ(fields["PRETTY_NAME"], "Debian GNU/Linux 13 (trixie)");
  EXPECT_EQ(fields["VERSION_ID"], "13");
  EXPECT_EQ(fields["ID"], "debian");
  EXPECT_EQ(fields.size(), 4U);
}

TEST(KernelVersion, IsFoundInAllForms) {
  EXPECT_EQ(parse_kernel_version("6.18.44-fc-v490"), (KernelVersion{6, 18}));
  EXPECT_EQ(parse_kernel_version(test::kDebianVersion), (KernelVersion{6, 12}));
  EXPECT_EQ(parse_kernel_version(test::kWsl2Version), (KernelVersion{5, 15}));
  EXPECT_EQ(parse_kernel_version("none"), std::nullopt);
  EXPECT_EQ(parse_kernel_version("6"), std::nullopt);
  EXPECT_EQ(kernel_release(test::kDebianVersion), "6.12.48+deb13-amd64");
  EXPECT_EQ(kernel_release(""), "");
}

TEST(KernelVersion, IsOrderedByNumberNotByText) { EXPECT_LT((KernelVersion{5, 4}), (KernelVersion{5, 19})); }

TEST(CapabilityMask, IsReadFromStatus) {
  EXPECT_EQ(parse_capability_mask(test::kDockerCaps, "CapEff:"), 0xa80425fbULL);
  EXPECT_EQ(parse_capability_mask(test::kDockerCaps, "CapBnd:"), std::nullopt);
  EXPECT_EQ(parse_capability_mask("CapEff:\tzz\n", "CapEff:"), std::nullopt);
}

TEST(Swaps, DevicesAreListedWithoutTheHeading) {
  EXPECT_THAT(parse_swaps("Filename\t\t\tType\tSize\tUsed\tPriority\n/dev/dm-1   "
                          "partition\t1\t0\t-2\n/swap\\040file file 1 0 -3\n"),
              ElementsAre("/dev/dm-1", "/swap file"));
}

TEST(Meminfo, KibibytesBecomeBytes) {
  EXPECT_EQ(parse_meminfo("MemTotal:       24684100 kB\nMemFree: 1 kB\n", "MemTotal"), 24684100ULL * 1024);
  EXPECT_EQ(parse_meminfo("MemTotal: 1 kB\n", "MemAvailable"), std::nullopt);
}

TEST(EnvironmentBlock, OneVariableIsFound) {
  const std::string block("PATH=/bin\0container_x=no\0container=podman\0", 41);
  EXPECT_EQ(environment_value(block, "container"), "podman");
  EXPECT_EQ(environment_value(block, "contain"), "");
}

}  // namespace
}  // namespace doctor
