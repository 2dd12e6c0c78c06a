#include "init/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "sys/file.h"
#include "sys/socket.h"
#include "sys/temp_dir.h"
#include "tests/support/result.h"

namespace init {
namespace {

using base::Code;
using support::FailsWith;
using wire::init::Event;
using wire::init::Output;
using wire::init::Request;
using wire::init::Signal;

class ChannelTest : public testing::Test {
 protected:
  void engine_sends(std::string_view bytes) { ASSERT_OK(sys::write_all(engine_.get(), bytes)); }

  sys::SocketPair pair_ = sys::make_socket_pair(SOCK_STREAM).value();
  Channel channel_{std::move(pair_.ours)};
  sys::UniqueFd engine_{std::move(pair_.theirs)};
};

TEST_F(ChannelTest, RequestsComeOutInOrderHoweverTheyWereCut) {
  const std::string bytes = wire::init::encode(3, Request(Signal{.number = 15})) +
                            wire::init::encode(4, Request(Signal{.number = 9}));
  engine_sends(bytes.substr(0, 5));
  ASSERT_TRUE(channel_.fill().value());
  EXPECT_FALSE(channel_.next().value());
  engine_sends(bytes.substr(5));
  ASSERT_TRUE(channel_.fill().value());
  ASSERT_OK_AND_ASSIGN(const auto first, channel_.next());
  ASSERT_OK_AND_ASSIGN(const auto second, channel_.next());
  EXPECT_EQ(first->stream, 3U);
  EXPECT_EQ(std::get<Signal>(first->request).number, 15U);
  EXPECT_EQ(second->stream, 4U);
  EXPECT_FALSE(channel_.next().value());
}

TEST(Refusal, AnEngineThatConnectsLearnsWhyInitCannotServe) {
  ASSERT_OK_AND_ASSIGN(const auto dir, sys::TempDir::make());
  ASSERT_OK_AND_ASSIGN(const auto listener, sys::listen_unix(dir / "s", SOCK_STREAM));
  ASSERT_OK_AND_ASSIGN(const auto engine, sys::connect_unix(dir / "s", SOCK_STREAM));
  refuse(listener.get(), {Code::kExhausted, "no memory", ENOMEM});
  wire::FrameReader frames;
  frames.feed(sys::read_all(engine.get()).value());
  ASSERT_OK_AND_ASSIGN(const auto event, wire::init::decode_event(frames.next().value().value()));
  EXPECT_EQ(std::get<wire::init::Failed>(event).message, "init: no memory");
  EXPECT_EQ(std::get<wire::init::Failed>(event).sys_errno, ENOMEM);
}

TEST_F(ChannelTest, NothingThereIsNoEnd) {
  EXPECT_TRUE(channel_.fill().value());
  engine_.reset();
  EXPECT_FALSE(channel_.fill().value());
}

TEST_F(ChannelTest, GarbageIsAnError) {
  engine_sends(std::string(12, '\xff'));
  ASSERT_TRUE(channel_.fill().value());
  EXPECT_THAT(channel_.next(), FailsWith(Code::kInvalid));
}

TEST_F(ChannelTest, AnEventOfOurOwnIsNoRequest) {
  engine_sends(wire::init::encode(0, Event(wire::init::Hello{})));
  ASSERT_TRUE(channel_.fill().value());
  EXPECT_THAT(channel_.next(), FailsWith(Code::kInvalid));
}

TEST_F(ChannelTest, ASlowEngineMakesTheRoomSmallAndLosesNothing) {
  EXPECT_TRUE(channel_.has_room());
  EXPECT_EQ(channel_.wanted_events(), POLLIN);
  std::uint64_t sent = 0;
  while (channel_.has_room()) {
    channel_.send(1, Output{.offset = sent, .bytes = std::string(wire::kMaxChunk, 'x')});
    sent += wire::kMaxChunk;
    ASSERT_OK(channel_.flush());
  }
  EXPECT_FALSE(channel_.idle());
  EXPECT_EQ(channel_.wanted_events(), POLLIN | POLLOUT);
  wire::FrameReader frames;
  std::uint64_t received = 0;
  std::string buffer(1 << 16, '\0');
  while (received < sent) {
    ASSERT_OK(channel_.flush());
    const ssize_t n = ::recv(engine_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    ASSERT_GT(n, 0);
    frames.feed({buffer.data(), static_cast<std::size_t>(n)});
    for (auto frame = frames.next().value(); frame; frame = frames.next().value()) {
      ASSERT_OK_AND_ASSIGN(const auto event, wire::init::decode_event(*frame));
      EXPECT_EQ(std::get<Output>(event).offset, received);
      received += std::get<Output>(event).bytes.size();
    }
  }
  EXPECT_TRUE(channel_.idle());
}

TEST_F(ChannelTest, AnEngineThatIsGoneIsUnavailableAndNoSignal) {
  engine_.reset();
  channel_.send(0, wire::init::Hello{});
  EXPECT_THAT(channel_.flush(), FailsWith(Code::kUnavailable));
}

}  // namespace
}  // namespace init
