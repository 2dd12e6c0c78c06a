// Real groups and processes, no sandboxes.
#include "spawner/endings.h"

#include <unistd.h>

#include <thread>

#include "spawner/records.h"
#include "sys/directory.h"
#include "sys/process.h"
#include "tests/support/instance.h"
#include "tests/support/result.h"
#include "tests/support/throwaway_cgroups.h"

namespace spawner {
namespace {

using base::SandboxId;
using testing::IsEmpty;

class EndingsTest : public testing::Test {
 protected:
  sys::Clone process_in(const SandboxId& id) {
    const auto group = cgroups_.tree().create(id.text(), support::kRoomy, 0).value();
    auto process = sys::clone_process({.cgroup = group.unified.get()}).value();
    if (process.is_child()) {
      while (true) ::pause();
    }
    return process;
  }

  // Waits for the kernel's word, not for a time.
  std::vector<Ending> await_gone() {
    while (true) {
      auto gone = endings_.collect_gone();
      if (!gone.empty() || endings_.empty()) return gone;
      std::vector<pollfd> news;
      endings_.add_polls(news);
      (void)::poll(news.data(), news.size(), 1000);
    }
  }

  support::Instance instance_ = support::Instance::make().value();
  support::ThrowawayCgroups cgroups_ = support::ThrowawayCgroups::make().value();
  Endings endings_{instance_.paths(), cgroups_.tree()};
};

TEST_F(EndingsTest, WhatIsBegunIsKilledAtOnceAndGoneWhenItsGroupIsEmpty) {
  const auto id = SandboxId::random();
  auto process = process_in(id);
  const std::string sockets[] = {socket_path(instance_.paths(), id), ahead_path(instance_.paths(), id)};
  for (const std::string& socket : sockets) ASSERT_OK(sys::create_file_at(AT_FDCWD, socket, ""));
  ASSERT_OK(save_record(instance_.paths(), {.id = id, .first_id = 7, .pid = process.pid, .root = "r"}));
  endings_.begin({.id = id, .first_id = 7, .pidfd = std::move(process.pidfd), .disk = {}});
  EXPECT_TRUE(endings_.contains(id));
  const auto gone = await_gone();
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].id, id);
  EXPECT_EQ(gone[0].first_id, 7U);
  EXPECT_TRUE(endings_.empty());
  EXPECT_THAT(cgroups_.tree().list().value(), IsEmpty());
  EXPECT_THAT(sys::entries(instance_.paths().sandboxes).value(), IsEmpty());
  EXPECT_FALSE(sys::wait_any().value()) << "its pid 1 is reaped with it";
}

TEST_F(EndingsTest, WhatNeverHadAGroupIsGoneAtOnce) {
  endings_.begin({.id = SandboxId::random(), .first_id = {}, .pidfd = {}, .disk = {}});
  EXPECT_EQ(endings_.collect_gone().size(), 1U);
}

TEST_F(EndingsTest, WhatCannotBeRemovedIsTriedAgainAndKeepsItsIds) {
  const auto id = SandboxId::random();
  auto process = process_in(id);
  // A directory where a socket should be cannot be unlinked.
  const std::string socket = socket_path(instance_.paths(), id);
  ASSERT_OK(sys::mkdirat(AT_FDCWD, socket, 0700));
  endings_.begin({.id = id, .first_id = 7, .pidfd = std::move(process.pidfd), .disk = {}});
  ASSERT_OK(cgroups_.tree().wait_empty(id.text(), std::chrono::seconds(10)));
  EXPECT_THAT(endings_.collect_gone(), IsEmpty());
  EXPECT_TRUE(endings_.contains(id));
  ASSERT_OK(sys::unlinkat(AT_FDCWD, socket, AT_REMOVEDIR));
  EXPECT_EQ(await_gone().size(), 1U);
}

// Pid 1 takes its time to dissolve; meanwhile the spawner has better things to do than to turn in circles.
TEST_F(EndingsTest, NewsThatWasReadIsNoNewsAnyMore) {
  const auto id = SandboxId::random();
  auto inside = process_in(id);
  ASSERT_OK_AND_ASSIGN(auto slow, sys::clone_process({}));
  if (slow.is_child()) {
    while (true) ::pause();
  }
  endings_.begin({.id = id, .first_id = 7, .pidfd = sys::lift_fd(slow.pidfd.get(), 3).value(), .disk = {}});
  ASSERT_OK(sys::wait_pidfd(inside.pidfd.get()));              // then the group is empty, and that is news
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // which the kernel holds back for ten
  EXPECT_THAT(endings_.collect_gone(), IsEmpty());
  std::vector<pollfd> news;
  endings_.add_polls(news);
  EXPECT_EQ(::poll(news.data(), news.size(), 0), 0);
  ASSERT_OK(sys::pidfd_kill(slow.pidfd.get(), SIGKILL));
  EXPECT_EQ(await_gone().size(), 1U);
}

}  // namespace
}  // namespace spawner
