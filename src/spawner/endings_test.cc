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

  SandboxId begin_leisurely() {
    const auto id = SandboxId::random();
    auto process = process_in(id);
    endings_.begin({.id = id, .first_id = 7, .pidfd = std::move(process.pidfd), .disk = {}},
                   Pace::kLeisurely);
    return id;
  }

  // Whether its processes run when nobody else wants the CPU, by the kernel's own word.
  bool is_idle(const SandboxId& id) const {
    return sys::read_file(cpu_group(id) + "/cpu.idle").value() == "1\n";
  }
  std::string cpu_group(const SandboxId& id) const {
    const auto mounts = sys::find_cgroup_mounts().value();
    const auto cpu = mounts.controllers.find("cpu");
    const std::string& top = cpu == mounts.controllers.end() ? mounts.unified : cpu->second;
    return top + "/" + cgroups_.parent() + "/" + id.text();
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

TEST_F(EndingsTest, ALeisurelyEndLetsOthersGoFirstUntilSomebodyWaits) {
  const auto id = begin_leisurely();
  EXPECT_TRUE(is_idle(id));
  endings_.hurry(id);
  EXPECT_FALSE(is_idle(id));
  EXPECT_EQ(await_gone().size(), 1U);
}

TEST_F(EndingsTest, ALeisurelyEndThatTakesTooLongLetsNobodyGoFirst) {
  const auto id = begin_leisurely();
  // As long as something is below its group, that cannot go.
  const std::string below = cpu_group(id) + "/below/it";
  ASSERT_OK(sys::mkdirat(AT_FDCWD, cpu_group(id) + "/below", 0755));
  ASSERT_OK(sys::mkdirat(AT_FDCWD, below, 0755));
  std::this_thread::sleep_for(Endings::kLeisure);
  EXPECT_TRUE(is_idle(id));
  EXPECT_THAT(endings_.collect_gone(), IsEmpty());
  EXPECT_FALSE(is_idle(id));
  for (const std::string& group : {below, cpu_group(id) + "/below"}) {
    ASSERT_OK(sys::unlinkat(AT_FDCWD, group, AT_REMOVEDIR));
  }
  EXPECT_EQ(await_gone().size(), 1U);
}

TEST_F(EndingsTest, OnlySoManyEndsAreLeisurely) {
  std::vector<SandboxId> all;
  for (std::size_t i = 0; i <= Endings::kMostLeisurely; ++i) all.push_back(begin_leisurely());
  EXPECT_TRUE(is_idle(all.front()));
  EXPECT_FALSE(is_idle(all.back()));
  endings_.hurry_all();
  EXPECT_FALSE(is_idle(all.front()));
  while (!endings_.empty()) (void)await_gone();
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
