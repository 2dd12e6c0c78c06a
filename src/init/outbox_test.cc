#include "init/outbox.h"

#include <sys/socket.h>

#include "sys/socket.h"
#include "tests/support/result.h"

namespace init {
namespace {

using base::Code;
using support::FailsWith;
using wire::init::Channel;
using wire::init::Ended;
using wire::init::Event;
using wire::init::Output;
using wire::init::Wrote;

class OutboxTest : public testing::Test {
 protected:
  // Sends what is there; what the engine gets of it.
  std::vector<Event> flush() {
    while (outbox_.flush(channel_) || !channel_.idle()) {
      EXPECT_OK(channel_.flush());
      std::string buffer(1 << 20, '\0');
      const ssize_t n = ::recv(pair_.theirs.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (n > 0) frames_.feed({buffer.data(), static_cast<std::size_t>(n)});
    }
    std::vector<Event> events;
    for (auto frame = frames_.next().value(); frame; frame = frames_.next().value()) {
      EXPECT_EQ(frame->stream, 7U);
      events.push_back(wire::init::decode_event(*frame).value());
    }
    return events;
  }

  sys::SocketPair pair_ = sys::make_socket_pair(SOCK_STREAM).value();
  init::Channel channel_{std::move(pair_.ours)};
  wire::FrameReader frames_;
  Outbox outbox_{7};
};

TEST_F(OutboxTest, BytesThatFollowEachOtherGoAsOneUntilTheyAreSent) {
  outbox_.add(Output{.offset = 0, .bytes = "ab"});
  outbox_.add(Output{.offset = 2, .bytes = "c"});
  outbox_.add(Output{.channel = Channel::kStderr, .bytes = "x"});
  outbox_.add(Output{.offset = 3, .bytes = "d"});
  auto events = flush();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(std::get<Output>(events[0]).bytes, "abc");
  EXPECT_EQ(std::get<Output>(events[1]).bytes, "x");
  EXPECT_EQ(std::get<Output>(events[2]).offset, 3U);
  outbox_.add(Output{.offset = 4, .bytes = "e"});
  events = flush();
  ASSERT_EQ(events.size(), 1U) << "what was sent is not sent again";
  EXPECT_EQ(std::get<Output>(events[0]).bytes, "e");
}

TEST_F(OutboxTest, WhatBelongsToTwoExecutionsStaysApart) {
  outbox_.add(Wrote{.execution = 1, .output = {.bytes = "a"}});
  outbox_.add(Wrote{.execution = 2, .output = {.bytes = "b"}});
  EXPECT_EQ(flush().size(), 2U);
}

TEST_F(OutboxTest, NoEventGrowsPastAChunk) {
  outbox_.add(Output{.bytes = std::string(wire::kMaxChunk - 1, 'x')});
  outbox_.add(Output{.offset = wire::kMaxChunk - 1, .bytes = "yz"});
  EXPECT_EQ(flush().size(), 2U);
}

TEST_F(OutboxTest, OnlyAnAcknowledgementMakesRoom) {
  std::uint64_t count = 0;
  for (; outbox_.has_room(); ++count) outbox_.add(Output{.bytes = std::string(wire::kMaxChunk, 'x')});
  EXPECT_LE(count, wire::init::kOutputWindow / wire::kMaxChunk);
  EXPECT_EQ(flush().size(), count);
  EXPECT_FALSE(outbox_.has_room()) << "what was sent may not have come";
  EXPECT_OK(outbox_.acknowledge(1));
  EXPECT_TRUE(outbox_.has_room());
  EXPECT_OK(outbox_.acknowledge(count));
  EXPECT_TRUE(outbox_.is_empty());
}

TEST_F(OutboxTest, AnOldAcknowledgementChangesNothingAndOneOfTheFutureIsAnError) {
  outbox_.add(Output{.bytes = "x"});
  outbox_.add(Ended{});
  EXPECT_OK(outbox_.acknowledge(1));
  EXPECT_OK(outbox_.acknowledge(0));
  EXPECT_OK(outbox_.acknowledge(1));
  EXPECT_EQ(flush().size(), 1U);
  EXPECT_THAT(outbox_.acknowledge(3), FailsWith(Code::kInvalid));
}

}  // namespace
}  // namespace init
