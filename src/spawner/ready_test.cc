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

Ready some_ready() {
  const auto id = base::SandboxId::random();
  return {.sandbox = {.record = {.id = id, .first_id = 0, .pid = 0, .root = ""},
                      .pidfd = {},
                      .cpus = {},
                      .disk = {}},
          .created = {.id = id},
          .leash = {}};
}

TEST(ReadySandboxes, AreMadeForWhatCameTwiceRunning) {
  ReadySandboxes ready(4);
  EXPECT_FALSE(ready.wants_more());
  EXPECT_TRUE(ready.notice(request_for(1)).empty());
  EXPECT_FALSE(ready.wants_more()) << "once may be the only time";
  EXPECT_TRUE(ready.notice(request_for(1)).empty());
  EXPECT_TRUE(ready.wants_more());
  EXPECT_EQ(ready.shape().max_pids, 1U);
}

TEST(ReadySandboxes, NeverMoreThanTheMost) {
  ReadySandboxes ready(4);
  for (int i = 0; i < 2; ++i) (void)ready.notice(request_for(1));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(ready.wants_more());
    ready.put(some_ready());
  }
  EXPECT_FALSE(ready.wants_more());
}

TEST(ReadySandboxes, NoneWhenTheOperatorWantsNone) {
  ReadySandboxes ready(0);
  for (int i = 0; i < 3; ++i) (void)ready.notice(request_for(1));
  EXPECT_FALSE(ready.wants_more());
}

TEST(ReadySandboxes, EachIsHandedOutOnceAndOnlyForTheSame) {
  ReadySandboxes ready(4);
  for (int i = 0; i < 2; ++i) (void)ready.notice(request_for(1));
  auto one = some_ready();
  const auto id = one.created.id;
  ready.put(std::move(one));
  EXPECT_FALSE(ready.take(request_for(2)));
  const auto taken = ready.take(request_for(1));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->created.id, id);
  EXPECT_FALSE(ready.take(request_for(1)));
  EXPECT_TRUE(ready.wants_more()) << "its place is free";
}

TEST(ReadySandboxes, AnotherKindOfRequestGivesThemUp) {
  ReadySandboxes ready(4);
  for (int i = 0; i < 2; ++i) (void)ready.notice(request_for(1));
  ready.put(some_ready());
  EXPECT_EQ(ready.notice(request_for(2)).size(), 1U);
  EXPECT_FALSE(ready.wants_more());
  EXPECT_FALSE(ready.take(request_for(1)));
}

TEST(ReadySandboxes, AHostDirectoryAndABuildAreNeverOpenedAhead) {
  ReadySandboxes ready(4);
  Create workspace = request_for(1);
  workspace.workspace_access = wire::spawner::Access::kReadOnly;
  Create build = request_for(1);
  build.root_kind = wire::spawner::RootKind::kBuild;
  for (const Create& request : {workspace, build}) {
    for (int i = 0; i < 3; ++i) (void)ready.notice(request);
    EXPECT_FALSE(ready.wants_more());
  }
}

}  // namespace
}  // namespace spawner
