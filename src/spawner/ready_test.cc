#include "spawner/ready.h"

#include <gmock/gmock.h>

namespace spawner {
namespace {

using wire::spawner::Create;

Create request_for(std::uint32_t max_pids) {
  Create request;
  request.root.set(std::string(64, 'a'));
  request.max_pids = max_pids;
  return request;
}

Ready ready_for(const Create& shape, std::uint64_t memory = 1) {
  const auto id = base::SandboxId::random();
  return {.sandbox = {.record = {.id = id, .first_id = 0, .pid = 0, .root = ""},
                      .pidfd = {},
                      .cpus = {},
                      .disk = {}},
          .created = {.id = id},
          .leash = {},
          .shape = shape,
          .memory_bytes = memory};
}

constexpr ReadySandboxes::Room kRoom{.most = 4, .memory_bytes = 100};

class ReadySandboxesTest : public testing::Test {
 protected:
  // How many were given up for it.
  std::size_t ask(std::uint32_t max_pids, int times = 1) {
    std::size_t given_up = 0;
    for (int i = 0; i < times; ++i) given_up += ready_.notice(request_for(max_pids)).size();
    return given_up;
  }
  // What is wanted next, 0 for nothing.
  std::uint32_t wanted(std::size_t under_way = 0) const {
    const Create* const shape = ready_.wanted(under_way);
    return shape == nullptr ? 0 : shape->max_pids;
  }
  void fill() {
    while (wanted() != 0) ready_.put(ready_for(*ready_.wanted(0)));
  }
  std::size_t count(std::uint32_t max_pids) const {
    std::size_t count = 0;
    ready_.for_each([&](const Ready& ready) { count += ready.shape.max_pids == max_pids ? 1 : 0; });
    return count;
  }

  ReadySandboxes ready_{kRoom};
};

TEST_F(ReadySandboxesTest, AreMadeForWhatCameTwice) {
  EXPECT_EQ(wanted(), 0U);
  ask(1);
  EXPECT_EQ(wanted(), 0U) << "once may be the only time";
  ask(1);
  EXPECT_EQ(wanted(), 1U);
}

TEST_F(ReadySandboxesTest, NeverMoreThanTheMost) {
  ask(1, 2);
  fill();
  EXPECT_EQ(count(1), 4U);
  EXPECT_TRUE(ready_.take(request_for(1)));
  EXPECT_EQ(wanted(), 1U);
  EXPECT_EQ(wanted(1), 0U) << "one is under way";
}

TEST_F(ReadySandboxesTest, NeverMoreThanTheirMemory) {
  ask(1, 2);
  ready_.put(ready_for(request_for(1), 99));
  EXPECT_EQ(wanted(), 1U);
  ready_.put(ready_for(request_for(1), 1));
  EXPECT_EQ(wanted(), 0U);
}

TEST_F(ReadySandboxesTest, NoneWhenTheOperatorWantsNone) {
  ReadySandboxes none({.most = 0, .memory_bytes = 100});
  for (int i = 0; i < 3; ++i) (void)none.notice(request_for(1));
  EXPECT_EQ(none.wanted(0), nullptr);
}

TEST_F(ReadySandboxesTest, EachIsHandedOutOnceAndOnlyForTheSame) {
  ask(1, 2);
  auto one = ready_for(request_for(1));
  const auto id = one.created.id;
  ready_.put(std::move(one));
  EXPECT_FALSE(ready_.take(request_for(2)));
  const auto taken = ready_.take(request_for(1));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->created.id, id);
  EXPECT_FALSE(ready_.take(request_for(1)));
}

TEST_F(ReadySandboxesTest, KindsShareTheRoom) {
  ask(1, 2);
  fill();
  EXPECT_EQ(ask(2), 0U) << "once may be the only time";
  EXPECT_EQ(ask(2), 2U) << "half of it is for the other";
  fill();
  EXPECT_EQ(count(1), 2U);
  EXPECT_EQ(count(2), 2U);
  EXPECT_EQ(ask(1), 0U) << "both are here to stay";
}

TEST_F(ReadySandboxesTest, ThoseWithEverythingGoFirst) {
  ask(1, 2);
  auto bare = ready_for(request_for(1));
  bare.is_furnished = false;
  ready_.put(std::move(bare));
  ready_.put(ready_for(request_for(1)));
  EXPECT_TRUE(ready_.has_unfurnished());
  EXPECT_TRUE(ready_.take(request_for(1))->is_furnished);
  EXPECT_FALSE(ready_.take_unfurnished()->is_furnished);
  EXPECT_FALSE(ready_.take_unfurnished());
  EXPECT_TRUE(ready_.empty());
}

TEST_F(ReadySandboxesTest, WhatIsAskedForLastIsMadeFirst) {
  ask(1, 2);
  ask(2, 2);
  EXPECT_EQ(wanted(), 2U);
  ask(1);
  EXPECT_EQ(wanted(), 1U);
  EXPECT_TRUE(ready_.runs_low());
}

TEST_F(ReadySandboxesTest, WhatIsNotAskedForAnyMoreIsForgotten) {
  ask(1, 2);
  fill();
  ask(2, 2);
  EXPECT_EQ(ask(2, ReadySandboxes::kForgotten), 2U);
  EXPECT_EQ(count(1), 0U);
  fill();
  EXPECT_EQ(count(2), 4U);
}

TEST_F(ReadySandboxesTest, WhatComesOnceDrivesOutNothing) {
  ask(1, 2);
  fill();
  for (std::uint32_t other = 2; other < 20; ++other) EXPECT_EQ(ask(other), 0U);
  EXPECT_EQ(count(1), 4U);
}

TEST_F(ReadySandboxesTest, WhatCannotBeMadeIsWantedNoMore) {
  ask(1, 2);
  ready_.put(ready_for(request_for(1)));
  ready_.want_no_more(request_for(1));
  EXPECT_EQ(wanted(), 0U);
  EXPECT_TRUE(ready_.take(request_for(1)));
}

TEST_F(ReadySandboxesTest, ATemplateTakesItsOwnAlong) {
  ask(1, 2);
  fill();
  EXPECT_TRUE(ready_.give_up(std::string(64, 'b')).empty());
  EXPECT_EQ(ready_.give_up(std::string(64, 'a')).size(), 4U);
  EXPECT_TRUE(ready_.empty());
}

TEST_F(ReadySandboxesTest, AHostDirectoryAndABuildAreNeverOpenedAhead) {
  Create workspace = request_for(1);
  workspace.workspace_access = wire::spawner::Access::kReadOnly;
  Create build = request_for(1);
  build.root_kind = wire::spawner::RootKind::kBuild;
  for (const Create& request : {workspace, build}) {
    for (int i = 0; i < 3; ++i) (void)ready_.notice(request);
    EXPECT_EQ(wanted(), 0U);
  }
}

}  // namespace
}  // namespace spawner
