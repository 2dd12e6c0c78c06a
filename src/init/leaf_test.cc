#include "init/leaf.h"

#include <unistd.h>

#include <cerrno>

#include "sys/process.h"
#include "sys/socket.h"
#include "tests/support/result.h"
#include "tests/support/throwaway_cgroups.h"

namespace init {
namespace {

using support::kRoomy;
using support::ThrowawayCgroups;

class LeafTest : public testing::Test {
 protected:
  // A process in the leaf, after `prepare` has run in it.
  sys::Clone sleeper(const Leaf& leaf, void (*prepare)() = nullptr) {
    const auto ready = sys::make_pipe().value();
    auto child = sys::clone_process({.cgroup = leaf.directory()}).value();
    if (child.is_child()) {
      if (prepare != nullptr) prepare();
      (void)sys::write_all(ready.write.get(), "r");
      while (true) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ready.read.get(), &byte, 1), 1);
    return child;
  }

  ThrowawayCgroups cgroups_ = ThrowawayCgroups::make().value();
  sys::CgroupGroup group_ = cgroups_.tree().create("a", kRoomy, 0).value();
};

TEST_F(LeafTest, ASignalReachesTheProcessGroupAndWhoLeftIt) {
  ASSERT_OK_AND_ASSIGN(const auto leaf, Leaf::make(group_.unified.get(), "p1"));
  const auto own_session = [] { (void)::setsid(); };
  const auto first = sleeper(leaf, own_session);
  const auto other = sleeper(leaf, own_session);
  ASSERT_OK(leaf.signal_all(SIGTERM, first.pid));
  EXPECT_EQ(sys::wait_pidfd(first.pidfd.get())->signal, SIGTERM);
  EXPECT_EQ(sys::wait_pidfd(other.pidfd.get())->signal, SIGTERM);
}

TEST_F(LeafTest, AKillTakesWhatIgnoresSignalsAndLeftTheSession) {
  ASSERT_OK_AND_ASSIGN(const auto leaf, Leaf::make(group_.unified.get(), "p1"));
  const auto stubborn = sleeper(leaf, [] {
    ::signal(SIGTERM, SIG_IGN);
    ::setsid();
  });
  ASSERT_OK(leaf.signal_all(SIGTERM, stubborn.pid));
  ASSERT_OK(leaf.kill_all());
  EXPECT_EQ(sys::wait_pidfd(stubborn.pidfd.get())->signal, SIGKILL);
}

TEST_F(LeafTest, AKillLeavesTheOtherLeavesAlone) {
  ASSERT_OK_AND_ASSIGN(const auto leaf, Leaf::make(group_.unified.get(), "p1"));
  ASSERT_OK_AND_ASSIGN(const auto other, Leaf::make(group_.unified.get(), "p2"));
  const auto bystander = sleeper(other);
  const auto victim = sleeper(leaf);
  ASSERT_OK(leaf.kill_all());
  EXPECT_EQ(sys::wait_pidfd(victim.pidfd.get())->signal, SIGKILL);
  EXPECT_OK(sys::pidfd_kill(bystander.pidfd.get(), 0));
  ASSERT_OK(other.kill_all());
  EXPECT_OK(sys::wait_pidfd(bystander.pidfd.get()));
}

TEST_F(LeafTest, IsRemovedOnlyWhenEmpty) {
  ASSERT_OK_AND_ASSIGN(auto leaf, Leaf::make(group_.unified.get(), "p1"));
  const auto child = sleeper(leaf);
  EXPECT_FALSE(leaf.remove());
  ASSERT_OK(leaf.kill_all());
  ASSERT_OK(cgroups_.tree().wait_empty("a", std::chrono::seconds(10)));
  EXPECT_OK(sys::wait_pidfd(child.pidfd.get()));
  EXPECT_TRUE(leaf.remove());
}

TEST_F(LeafTest, CountsTheCpuTimeOfAllItsProcesses) {
  ASSERT_OK_AND_ASSIGN(const auto leaf, Leaf::make(group_.unified.get(), "p1"));
  const auto before = leaf.cpu_microseconds().value();
  const auto child = sys::clone_process({.cgroup = leaf.directory()}).value();
  if (child.is_child()) {
    while (::clock() < CLOCKS_PER_SEC / 50) {
    }
    ::_exit(0);
  }
  EXPECT_OK(sys::wait_pidfd(child.pidfd.get()));
  EXPECT_GT(leaf.cpu_microseconds().value(), before);
}

TEST_F(LeafTest, AnEmptyOneTakesSignalsToo) {
  ASSERT_OK_AND_ASSIGN(const auto leaf, Leaf::make(group_.unified.get(), "p1"));
  constexpr pid_t kNobody = 0x3fffffff;
  EXPECT_OK(leaf.signal_all(SIGTERM, kNobody));
  EXPECT_OK(leaf.kill_all());
}

TEST_F(LeafTest, ANameIsTakenOnce) {
  ASSERT_OK(Leaf::make(group_.unified.get(), "p1"));
  EXPECT_THAT(Leaf::make(group_.unified.get(), "p1"), support::FailsWithErrno(EEXIST));
}

}  // namespace
}  // namespace init
