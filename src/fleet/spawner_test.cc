#include "fleet/spawner.h"

#include <filesystem>

#include "io/task_group.h"
#include "tests/support/engine_peers.h"

namespace fleet {
namespace {

using base::Code;
using engine::test::answer;
using engine::test::bad_reply;
using engine::test::good_reply;
using engine::test::take_request;
using support::ScriptedPeer;

io::Task<> ask_into(Spawner& spawner, std::vector<Result<wire::spawner::Reply>>& answers) {
  const wire::spawner::Status status;
  answers.push_back(co_await spawner.call(status));
  co_return Result<>();
}

class SpawnerTest : public testing::Test {
 protected:
  Result<wire::spawner::Reply> ask() {
    io::Loop loop;
    io::TaskGroup tasks(loop,
                        [](std::string_view, const base::Error& error) { ADD_FAILURE() << error.message; });
    std::vector<Result<wire::spawner::Reply>> answers;
    tasks.spawn("ask", ask_into(spawner_, answers));
    loop.run();
    return answers.at(0);
  }
  // One that answers so often, and is gone.
  ScriptedPeer serve(int calls) {
    std::filesystem::remove(path());
    return ScriptedPeer(path(), SOCK_SEQPACKET, [calls](int fd) {
      for (int i = 0; i < calls; ++i) {
        (void)take_request(fd);
        answer(fd, good_reply("/socket"));
      }
    });
  }
  std::string path() const { return instance_.paths().spawner_socket; }

  support::Instance instance_ = support::Instance::make().value();
  Spawner spawner_{instance_.paths(), 1, std::chrono::milliseconds(50)};
};

TEST_F(SpawnerTest, AConnectionIsUsedAgain) {
  const auto peer = serve(3);
  for (int i = 0; i < 3; ++i) EXPECT_OK(ask()) << i;
}

TEST_F(SpawnerTest, OneThatWasStartedAgainIsFoundAgain) {
  for (int i = 0; i < 3; ++i) {
    auto peer = serve(1);
    EXPECT_OK(ask()) << i;
    peer.finish();
  }
}

TEST_F(SpawnerTest, ItsRefusalPassesThrough) {
  const ScriptedPeer peer(path(), SOCK_SEQPACKET, [](int fd) {
    (void)take_request(fd);
    answer(fd, bad_reply(Code::kExhausted, "no ids are left"));
  });
  EXPECT_THAT(ask(), support::FailsSaying("no ids are left"));
}

TEST_F(SpawnerTest, OneThatIsAwayIsWaitedForForAMoment) {
  EXPECT_THAT(ask(), support::FailsWith(Code::kUnavailable));
}

}  // namespace
}  // namespace fleet
