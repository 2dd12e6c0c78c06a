// Against this host's real hierarchies, whichever they are; each test in a parent group of its own.
#include "sys/cgroup.h"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "sys/cgroup_v1.h"
#include "sys/cgroup_v2.h"
#include "sys/process.h"
#include "tests/support/in_child.h"
#include "tests/support/result.h"
#include "tests/support/throwaway_cgroups.h"
#include "tests/support/use_memory.h"

namespace sys {
namespace {

using base::Code;
using std::chrono::seconds;
using support::FailsWith;
using support::FailsWithErrno;
using support::in_child;
using support::kRoomy;
using support::ThrowawayCgroups;
using testing::UnorderedElementsAre;

Result<> join(const CgroupGroup& group) {
  for (const UniqueFd& procs : group.join) RETURN_IF_ERROR(write_all(procs.get(), "0"));
  return {};
}

// A process in the group that does nothing.
Result<Clone> sleeper(const CgroupGroup& group) {
  auto child = clone_process({.cgroup = group.unified.get()});
  if (child && child->is_child()) {
    (void)join(group);
    while (true) ::pause();
  }
  return child;
}

TEST(GaugeValue, FindsTheNumberBehindAWholeKey) {
  constexpr std::string_view kText = "oom 1\noom_kill 23\nmax\nlast 18446744073709551615";
  EXPECT_EQ(gauge_value(kText, "oom_kill"), 23U);
  EXPECT_EQ(gauge_value(kText, "oom"), 1U);
  EXPECT_EQ(gauge_value(kText, "last"), 18446744073709551615ULL);
  EXPECT_EQ(gauge_value(kText, "max"), 0U) << "no number";
  EXPECT_EQ(gauge_value(kText, "oom_"), 0U) << "part of a key";
  EXPECT_EQ(gauge_value(kText, "none"), 0U);
  EXPECT_EQ(gauge_value("", "x"), 0U);
  EXPECT_EQ(gauge_value("x no number", "x"), 0U);
}

TEST(Cgroup, ANewGroupIsEmptyListedAndBelongsToItsOwner) {
  ASSERT_OK_AND_ASSIGN(auto throwaway, ThrowawayCgroups::make());
  CgroupTree& tree = throwaway.tree();
  ASSERT_OK_AND_ASSIGN(const auto group, tree.create("a", kRoomy, 4242));
  EXPECT_FALSE(tree.populated("a").value());
  EXPECT_THAT(tree.list().value(), UnorderedElementsAre("a"));
  EXPECT_EQ(fstat(group.unified.get())->st_uid, 4242U);
  EXPECT_EQ(fstatat(group.unified.get(), "cgroup.procs")->st_uid, 4242U);
  EXPECT_EQ(fstatat(group.unified.get(), "cgroup.subtree_control")->st_uid, 0U) << "limits stay ours";
}

TEST(Cgroup, LeavesAreOneLevelDeepAndCounted) {
  ASSERT_OK_AND_ASSIGN(auto throwaway, ThrowawayCgroups::make());
  constexpr uid_t kOwner = 4242;
  ASSERT_OK_AND_ASSIGN(const auto group, throwaway.tree().create("a", kRoomy, kOwner));
  const int dir = group.unified.get();
  EXPECT_OK(in_child([&]() -> Result<> {
    CHILD_EXPECT(::setresuid(kOwner, kOwner, kOwner) == 0);
    RETURN_IF_ERROR(mkdirat(dir, "p1", 0755));
    const auto deeper = mkdirat(dir, "p1/deeper", 0755);
    CHILD_EXPECT(!deeper && deeper.error().sys_errno == EAGAIN);
    for (const char* bound : {"cgroup.max.depth", "cgroup.max.descendants"}) {
      const auto raised = write_existing_at(dir, bound, "max");
      CHILD_EXPECT(!raised && raised.error().sys_errno == EACCES);
    }
    for (unsigned leaf = 1; leaf < kMaxLeaves; ++leaf)
      RETURN_IF_ERROR(mkdirat(dir, "q" + std::to_string(leaf), 0755));
    const auto more = mkdirat(dir, "more", 0755);
    CHILD_EXPECT(!more && more.error().sys_errno == EAGAIN);
    return {};
  }));
  EXPECT_OK(throwaway.tree().remove("a"));
}

TEST(Cgroup, ANameIsTakenOnce) {
  ASSERT_OK_AND_ASSIGN(auto throwaway, ThrowawayCgroups::make());
  ASSERT_OK(throwaway.tree().create("a", kRoomy, 0));
  EXPECT_THAT(throwaway.tree().create("a", kRoomy, 0), FailsWith(Code::kConflict));
}

TEST(Cgroup, AKillIsCompleteAndItsEndIsSeen) {
  ASSERT_OK_AND_ASSIGN(auto throwaway, ThrowawayCgroups::make());
  CgroupTree& tree = throwaway.tree();
  ASSERT_OK_AND_ASSIGN(const auto group, tree.create("a", kRoomy, 0));
  ASSERT_OK_AND_ASSIGN(const auto one, sleeper(group));
  ASSERT_OK_AND_ASSIGN(const auto two, sleeper(group));
  EXPECT_TRUE(tree.populated("a").value());
  EXPECT_THAT(tree.remove("a"), FailsWithErrno(EBUSY));
  ASSERT_OK(tree.kill_all("a"));
  EXPECT_OK(tree.wait_empty("a", seconds(10)));
  EXPECT_EQ(wait_pidfd(one.pidfd.get())->signal, SIGKILL);
  EXPECT_EQ(wait_pidfd(two.pidfd.get())->signal, SIGKILL);
}

TEST(Cgroup, WaitingForAGroupThatStaysEndsWithATimeout) {
  ASSERT_OK_AND_ASSIGN(auto throwaway, ThrowawayCgroups::make());
  ASSERT_OK_AND_ASSIGN(const auto group, throwaway.tree().create("a", kRoomy, 0));
  ASSERT_OK_AND_ASSIGN(const auto one, sleeper(group));
  EXPECT_THAT(throwaway.tree().wait_empty("a", std::chrono::milliseconds(1)), FailsWith(Code::kTimeout));
  ASSERT_OK(throwaway.tree().kill_all("a"));
  EXPECT_OK(wait_pidfd(one.pidfd.get()));
}

TEST(Cgroup, RemovalTakesLeavesAndTwinsAndMayBeRepeated) {
  ASSERT_OK_AND_ASSIGN(auto throwaway, ThrowawayCgroups::make());
  CgroupTree& tree = throwaway.tree();
  ASSERT_OK_AND_ASSIGN(const auto group, tree.create("a", kRoomy, 0));
  ASSERT_OK(mkdirat(group.unified.get(), "p1", 0755));
  ASSERT_OK(mkdirat(group.unified.get(), "p2", 0755));
  EXPECT_OK(tree.remove("a"));
  EXPECT_TRUE(tree.list()->empty());
  EXPECT_OK(tree.remove("a"));
  EXPECT_THAT(tree.kill_all("a"), FailsWith(Code::kNotFound));
}

TEST(Cgroup, AHalfMadeGroupIsListedAndCanBeRemoved) {
  ASSERT_OK_AND_ASSIGN(auto throwaway, ThrowawayCgroups::make());
  ASSERT_OK_AND_ASSIGN(const auto mounts, find_cgroup_mounts());
  // What a spawner leaves that is killed between the first directory and the second.
  const std::string root = mounts.controllers.empty() ? mounts.unified : mounts.controllers.at("pids");
  ASSERT_OK(mkdirat(AT_FDCWD, root + "/" + throwaway.parent() + "/half", 0755));
  EXPECT_THAT(throwaway.tree().list().value(), UnorderedElementsAre("half"));
  EXPECT_OK(throwaway.tree().remove("half"));
  EXPECT_TRUE(throwaway.tree().list()->empty());
}

TEST(Cgroup, TooMuchMemoryIsAKillThatIsCountedAndAnnounced) {
  ASSERT_OK_AND_ASSIGN(auto throwaway, ThrowawayCgroups::make());
  const CgroupLimits limits = support::kTight;
  ASSERT_OK_AND_ASSIGN(const auto group, throwaway.tree().create("a", limits, 0));
  EXPECT_EQ(gauge_value(pread_text(group.gauges.oom.get()).value(), "oom_kill"), 0U);
  EXPECT_EQ(throwaway.tree().oom_kills("a").value(), 0U);
  EXPECT_THAT(throwaway.tree().oom_kills("b"), FailsWith(Code::kNotFound));
  EXPECT_EQ(support::use_memory(group, support::kTooMuch).signal, SIGKILL);
  EXPECT_GE(gauge_value(pread_text(group.gauges.oom.get()).value(), "oom_kill"), 1U);
  EXPECT_GE(throwaway.tree().oom_kills("a").value(), 1U);
  pollfd news{.fd = group.gauges.oom_notify.get(), .events = POLLIN | POLLPRI, .revents = 0};
  EXPECT_EQ(::poll(&news, 1, 0), 1);
  EXPECT_GE(std::stoull(pread_text(group.gauges.memory_peak.get()).value()), limits.memory_bytes / 2);
}

// The text of the group's limit file; it is called otherwise in each version.
std::string limit_text(ThrowawayCgroups& throwaway, const std::string& v1, const std::string& v2) {
  const auto mounts = find_cgroup_mounts().value();
  const bool is_v1 = throwaway.tree().version() == "v1";
  const std::string root = is_v1 ? mounts.controllers.at("memory") : mounts.unified;
  return read_file(root + "/" + throwaway.parent() + "/a/" + (is_v1 ? v1 : v2)).value_or("absent");
}

TEST(Cgroup, SwapIsNoWayAroundTheMemoryLimit) {
  ASSERT_OK_AND_ASSIGN(auto throwaway, ThrowawayCgroups::make());
  ASSERT_OK(throwaway.tree().create("a", kRoomy, 0));
  const bool is_v1 = throwaway.tree().version() == "v1";
  EXPECT_EQ(limit_text(throwaway, "memory.memsw.limit_in_bytes", "memory.swap.max"),
            is_v1 ? std::to_string(kRoomy.memory_bytes) + "\n" : "0\n");
}

TEST(Cgroup, SocketBuffersAreLimitedToo) {
  ASSERT_OK_AND_ASSIGN(auto throwaway, ThrowawayCgroups::make());
  ASSERT_OK(throwaway.tree().create("a", kRoomy, 0));
  const bool is_v1 = throwaway.tree().version() == "v1";
  // Version 2 has one limit for both.
  EXPECT_EQ(limit_text(throwaway, "memory.kmem.tcp.limit_in_bytes", "memory.max"),
            std::to_string(kRoomy.memory_bytes / (is_v1 ? 8 : 1)) + "\n");
}

TEST(Cgroup, ThePeakBeginsAnewWhenItIsWritten) {
  ASSERT_OK_AND_ASSIGN(auto throwaway, ThrowawayCgroups::make());
  ASSERT_OK_AND_ASSIGN(const auto group, throwaway.tree().create("a", kRoomy, 0));
  constexpr std::size_t kSome = 32 << 20;
  EXPECT_EQ(support::use_memory(group, kSome).code, 0);
  EXPECT_GE(std::stoull(pread_text(group.gauges.memory_peak.get()).value()), kSome);
  ASSERT_EQ(::pwrite(group.gauges.memory_peak.get(), "0\n", 2, 0), 2);
  EXPECT_LT(std::stoull(pread_text(group.gauges.memory_peak.get()).value()), kSome);
}

TEST(Cgroup, TooManyProcessesAreRefusedAndCounted) {
  ASSERT_OK_AND_ASSIGN(auto throwaway, ThrowawayCgroups::make());
  CgroupLimits limits = kRoomy;
  limits.max_pids = 2;
  ASSERT_OK_AND_ASSIGN(const auto group, throwaway.tree().create("a", limits, 0));
  EXPECT_OK(in_child(
      [&]() -> Result<> {
        RETURN_IF_ERROR(join(group));
        ASSIGN_OR_RETURN(const auto one, sleeper(group));
        const auto other = clone_process({});
        if (other && other->is_child()) ::_exit(0);
        RETURN_IF_ERROR(pidfd_kill(one.pidfd.get(), SIGKILL));
        CHILD_EXPECT(!other && other.error().sys_errno == EAGAIN);
        return {};
      },
      {.cgroup = group.unified.get()}));
  EXPECT_EQ(gauge_value(pread_text(group.gauges.pids.get()).value(), "max"), 1U);
}

TEST(Cgroup, TheCpuShareIsWhatWasAskedFor) {
  ASSERT_OK_AND_ASSIGN(auto throwaway, ThrowawayCgroups::make());
  ASSERT_OK_AND_ASSIGN(const auto mounts, find_cgroup_mounts());
  ASSERT_OK(throwaway.tree().create("a", {.memory_bytes = 64 << 20, .max_pids = 8, .cpu_millis = 1500}, 0));
  const std::string below = "/" + throwaway.parent() + "/a/";
  if (throwaway.tree().version() == "v2") {
    EXPECT_EQ(read_file(mounts.unified + below + "cpu.max").value(), "150000 100000\n");
  } else {
    EXPECT_EQ(read_file(mounts.controllers.at("cpu") + below + "cpu.cfs_quota_us").value(), "150000\n");
    EXPECT_EQ(read_file(mounts.controllers.at("cpu") + below + "cpu.cfs_period_us").value(), "100000\n");
  }
}

TEST(Cgroup, AMissingControllerIsRefusedByName) {
  const CgroupMounts mounts{.unified = "/nowhere", .controllers = {{"memory", "/m"}, {"cpu", "/c"}}};
  EXPECT_THAT(make_v1_tree("x", mounts), FailsWith(Code::kUnsupported));
  EXPECT_THAT(make_v1_tree("x", mounts), support::FailsSaying("controller pids"));
}

TEST(Cgroup, AHierarchyWithoutItsControlFilesIsNoV2Tree) {
  EXPECT_THAT(make_v2_tree("x", {.unified = "/nowhere"}),
              support::FailsSaying("/nowhere/cgroup.subtree_control"));
}

}  // namespace
}  // namespace sys
