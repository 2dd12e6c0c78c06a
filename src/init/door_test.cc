#include "init/door.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "sys/temp_dir.h"
#include "tests/support/engine_of_init.h"
#include "wire/zygote_messages.h"

namespace init {
namespace {

using base::Code;
using wire::init::Done;
using wire::init::Failed;
using wire::zygote::Knock;

class DoorTest : public testing::Test {
 protected:
  // As the spawner connects for a newcomer.
  sys::UniqueFd come() {
    auto newcomer = sys::connect_unix(dir_ / "s", SOCK_STREAM, sys::Origin::kNamed).value();
    EXPECT_FALSE(door_.admit());
    return newcomer;
  }
  sys::UniqueFd knock(const Knock& words) {
    auto caller = come();
    EXPECT_OK(sys::write_all(caller.get(), {reinterpret_cast<const char*>(&words), sizeof words}));
    return caller;
  }
  static bool is_hung_up_on(const sys::UniqueFd& caller) {
    char byte = 0;
    return ::recv(caller.get(), &byte, 1, MSG_DONTWAIT) == 0;
  }

  sys::TempDir dir_ = sys::TempDir::make().value();
  sys::UniqueFd listener_ = sys::listen_unix(dir_ / "s", SOCK_STREAM).value();
  Door door_{listener_.get()};
};

TEST_F(DoorTest, ACallerIsKnownByTheKernelsWord) {
  const auto caller = knock({.stream = 7});
  const auto callers = door_.callers();
  ASSERT_EQ(callers.size(), 1U);
  EXPECT_EQ(callers[0].pid, ::getpid());
  EXPECT_EQ(callers[0].stream, 7U);
  EXPECT_TRUE(door_.callers().empty());
}

TEST_F(DoorTest, AnEngineIsKnownByHavingNoName) {
  const auto newcomer = come();
  const auto engine = sys::connect_unix(dir_ / "s", SOCK_STREAM).value();
  const auto admitted = door_.admit();
  ASSERT_TRUE(admitted);
  EXPECT_OK(sys::write_all(admitted->get(), "hello"));
  std::array<char, 5> heard{};
  EXPECT_EQ(::recv(engine.get(), heard.data(), heard.size(), 0), 5);
  EXPECT_TRUE(door_.callers().empty());
}

TEST_F(DoorTest, WhoeverSaysNothingKeepsNobodyAndWhoeverSaysNonsenseIsHungUpOn) {
  const auto silent = come();
  const auto nonsense = knock({.magic = 1, .stream = 7});
  const auto caller = knock({.stream = 8});
  const auto callers = door_.callers();
  ASSERT_EQ(callers.size(), 1U);
  EXPECT_EQ(callers[0].stream, 8U);
  EXPECT_TRUE(is_hung_up_on(nonsense));
  EXPECT_FALSE(is_hung_up_on(silent));
}

TEST_F(DoorTest, SilentOnesKeepNobodyOut) {
  std::vector<sys::UniqueFd> silent;
  for (std::size_t i = 0; i < Door::kMostWaiting; ++i) silent.push_back(come());
  const auto caller = knock({.stream = 8});
  EXPECT_EQ(door_.callers().size(), 1U);
  EXPECT_TRUE(is_hung_up_on(silent.front()));
  EXPECT_FALSE(is_hung_up_on(silent.back()));
}

using WelcomeTest = support::InitTest;

TEST_F(WelcomeTest, AProcessThatIsNotInitsOwnGetsNothing) {
  begin();
  send(5, wire::init::ExpectContext{.environment = {}, .cwd = "/"});
  ASSERT_TRUE(std::holds_alternative<Done>(next()));
  const auto stranger = sys::connect_unix(dir_ / "s", SOCK_STREAM, sys::Origin::kNamed).value();
  const Knock words{.stream = 5};
  EXPECT_OK(sys::write_all(stranger.get(), {reinterpret_cast<const char*>(&words), sizeof words}));
  const auto failed = next();
  ASSERT_TRUE(std::holds_alternative<Failed>(failed));
  EXPECT_EQ(std::get<Failed>(failed).code, static_cast<std::uint32_t>(Code::kDenied));
  std::array<std::byte, 8> buffer;
  const auto answer = sys::receive_packet(stranger.get(), buffer).value();
  EXPECT_EQ(answer.size, 0U);
  EXPECT_TRUE(answer.fds.empty());
  EXPECT_EQ(tell(support::shell("echo on")).out, "on\n");
}

TEST_F(WelcomeTest, WhoeverIsNotExpectedAnyMoreIsHungUpOn) {
  begin();
  send(5, wire::init::ExpectContext{.environment = {}, .cwd = "/"});
  ASSERT_TRUE(std::holds_alternative<Done>(next()));
  send(5, wire::init::Signal{.number = SIGKILL});
  last_ = 5;
  EXPECT_EQ(tell(support::shell("echo on")).out, "on\n");
  const auto late = sys::connect_unix(dir_ / "s", SOCK_STREAM, sys::Origin::kNamed).value();
  const Knock words{.stream = 5};
  EXPECT_OK(sys::write_all(late.get(), {reinterpret_cast<const char*>(&words), sizeof words}));
  std::array<std::byte, 8> buffer;
  EXPECT_EQ(sys::receive_packet(late.get(), buffer).value().size, 0U);
}

}  // namespace
}  // namespace init
