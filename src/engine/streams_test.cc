#include "engine/streams.h"

#include <poll.h>
#include <signal.h>

#include <functional>
#include <latch>

#include "tests/support/engine_peers.h"

namespace engine {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;
using test::InitEnd;
using test::ScriptedSandbox;
using testing::ElementsAre;
using wire::init::Acknowledge;
using wire::init::Ended;
using wire::init::Failed;
using wire::init::List;
using wire::init::Signal;
using wire::init::Started;
using wire::init::Wrote;

class Ear : public StreamListener {
 public:
  void hear(const wire::init::Event& event) override {
    if (const auto* wrote = std::get_if<Wrote>(&event)) heard.push_back(wrote->output.bytes);
    if (std::holds_alternative<Ended>(event)) heard.push_back("end");
    if (on_hearing) on_hearing();
  }

  std::vector<std::string> heard;
  std::function<void()> on_hearing;
};

Wrote wrote(std::string bytes) { return {.execution = 1, .output = {.bytes = std::move(bytes)}}; }

// Until the other side has nothing more to say.
Result<> pump_to_the_end(Streams& streams) {
  while (true) {
    if (auto pumped = streams.pump(); !pumped) return pumped;
    pollfd waiting{.fd = streams.fd(), .events = streams.wanted_events(), .revents = 0};
    EXPECT_GT(::poll(&waiting, 1, 60'000), 0);
  }
}

TEST(Streams, EachHearsItsOwnAndNobodyHearsTheRest) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    const auto first = init.stream;
    (void)init.hear();
    init.say(init.stream, wrote("b"));
    init.say(first, wrote("a"));
    init.say(4711, wrote("of nobody"));
    init.say(0, wrote("of the connection"));
    init.say(init.stream, wrote("c"));
  });
  Streams streams(scripted.sandbox());
  const auto one = std::make_shared<Ear>();
  const auto two = std::make_shared<Ear>();
  streams.send(streams.open(one), List{});
  streams.send(streams.open(two), List{});
  EXPECT_THAT(pump_to_the_end(streams), FailsWith(Code::kUnavailable));
  EXPECT_THAT(one->heard, ElementsAre("a"));
  EXPECT_THAT(two->heard, ElementsAre("b", "c"));
  EXPECT_THAT(streams.pump(), FailsWith(Code::kUnavailable)) << "again and again";
}

TEST(Streams, WhatWasHeardIsAcknowledgedPerStreamAndSoIsTheEnd) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    const auto flooding = init.stream;
    (void)init.hear();
    const auto quiet = init.stream;
    const std::string chunk(wire::kMaxChunk, 'x');
    init.say(quiet, wrote("little"));
    for (int i = 0; i < 2; ++i) init.say(flooding, wrote(chunk));
    EXPECT_EQ(std::get<Acknowledge>(init.hear().value()).number, 2U);
    EXPECT_EQ(init.stream, flooding);
    init.say(quiet, Ended{});
    EXPECT_EQ(std::get<Acknowledge>(init.hear().value()).number, 2U);
    EXPECT_EQ(init.stream, quiet);
    init.say(quiet, wrote("after its end"));
  });
  Streams streams(scripted.sandbox());
  const auto flooding = std::make_shared<Ear>();
  const auto quiet = std::make_shared<Ear>();
  streams.send(streams.open(flooding), List{});
  streams.send(streams.open(quiet), List{});
  EXPECT_THAT(pump_to_the_end(streams), FailsWith(Code::kUnavailable));
  EXPECT_THAT(quiet->heard, ElementsAre("little", "end"));
  EXPECT_EQ(flooding->heard.size(), 2U);
}

TEST(Streams, AKilledOneIsTakenInToItsEndUnheard) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, Started{.pid = 2});
    EXPECT_EQ(std::get<Signal>(init.hear().value()).number, static_cast<std::uint32_t>(SIGKILL));
    for (int i = 0; i < 2; ++i) init.say(init.stream, wrote(std::string(wire::kMaxChunk, 'x')));
    EXPECT_EQ(std::get<Acknowledge>(init.hear().value()).number, 2U);
    init.say(init.stream, Failed{.message = "an execution that came too late"});
    init.say(init.stream, Ended{});
    EXPECT_EQ(std::get<Acknowledge>(init.hear().value()).number, 3U);
  });
  Streams streams(scripted.sandbox());
  const auto ear = std::make_shared<Ear>();
  const auto stream = streams.open(ear);
  streams.send(stream, List{});
  streams.kill(stream);
  EXPECT_EQ(ear.use_count(), 1);
  EXPECT_THAT(pump_to_the_end(streams), FailsWith(Code::kUnavailable));
  EXPECT_THAT(ear->heard, testing::IsEmpty());
}

TEST(Streams, OneThatNeverBeganIsClosed) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, Failed{.message = "no such program"});
    init.say(init.stream, wrote("of nobody"));
  });
  Streams streams(scripted.sandbox());
  const auto ear = std::make_shared<Ear>();
  streams.send(streams.open(ear), List{});
  EXPECT_THAT(pump_to_the_end(streams), FailsWith(Code::kUnavailable));
  EXPECT_THAT(ear->heard, testing::IsEmpty());
  EXPECT_EQ(ear.use_count(), 1);
}

TEST(Streams, AListenerMayCloseItsOwn) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, wrote("a"));
    init.say(init.stream, wrote("b"));
  });
  Streams streams(scripted.sandbox());
  auto ear = std::make_shared<Ear>();
  const auto stream = streams.open(ear);
  ear->on_hearing = [&] { streams.close(stream); };
  streams.send(stream, List{});
  EXPECT_THAT(pump_to_the_end(streams), FailsWith(Code::kUnavailable));
  EXPECT_THAT(ear->heard, ElementsAre("a"));
}

TEST(Streams, AnInitThatEndsSaysWhy) {
  ScriptedSandbox scripted([](InitEnd& init) { init.say(0, Failed{.message = "no memory for its books"}); });
  Streams streams(scripted.sandbox());
  EXPECT_THAT(pump_to_the_end(streams), FailsSaying("no memory for its books"));
  EXPECT_THAT(streams.pump(), FailsSaying("no memory for its books"));
}

TEST(Streams, AFrameThatIsTooLargeOrNonsenseIsTheEnd) {
  for (const std::string& bytes : {std::string(64, '\xff'), wire::encode_frame(250, 1, "what")}) {
    std::latch seen(1);
    ScriptedSandbox scripted([&](InitEnd& init) {
      init.say_bytes(bytes);
      seen.wait();
    });
    Streams streams(scripted.sandbox());
    const auto pumped = pump_to_the_end(streams);
    EXPECT_FALSE(pumped);
    EXPECT_TRUE(streams.end().has_value());
    seen.count_down();
  }
}

// One that reads nothing makes nobody wait, and does not make us keep everything.
TEST(Streams, WhatIsNotTakenIsKeptUpToALimit) {
  std::latch enough(1);
  ScriptedSandbox scripted([&](InitEnd&) { enough.wait(); });
  Streams streams(scripted.sandbox());
  const auto stream = streams.open(std::make_shared<Ear>());
  const wire::init::Execute large{.payload = std::string(wire::init::kMaxExecution, 'x')};
  int sent = 0;
  for (; streams.has_room(); ++sent) streams.send(stream, large);
  EXPECT_EQ(streams.wanted_events(), POLLIN | POLLOUT);
  EXPECT_OK(streams.pump());
  for (; sent < 10; ++sent) streams.send(stream, large);
  EXPECT_THAT(streams.pump(), FailsSaying("takes nothing more"));
  enough.count_down();
}

TEST(Streams, WhatDidNotFitIsSentLater) {
  constexpr std::uint32_t kRequests = 3;
  std::latch begin(1);
  ScriptedSandbox scripted([&](InitEnd& init) {
    begin.wait();
    for (std::uint32_t i = 1; i <= kRequests; ++i) {
      const auto request = std::get<wire::init::Execute>(init.hear().value());
      EXPECT_EQ(request.number, i);
      EXPECT_EQ(request.payload.size(), 2U << 20);
    }
    init.say(init.stream, wrote("all"));
  });
  Streams streams(scripted.sandbox());
  const auto ear = std::make_shared<Ear>();
  const auto stream = streams.open(ear);
  for (std::uint32_t i = 1; i <= kRequests; ++i) {
    streams.send(stream, wire::init::Execute{.number = i, .payload = std::string(2 << 20, 'x')});
  }
  EXPECT_FALSE(streams.has_room());
  begin.count_down();
  EXPECT_THAT(pump_to_the_end(streams), FailsWith(Code::kUnavailable));
  EXPECT_THAT(ear->heard, ElementsAre("all"));
}

}  // namespace
}  // namespace engine
