#include "engine/served_file_call.h"

#include <poll.h>

#include "tests/support/engine_peers.h"

namespace engine {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;
using test::InitEnd;
using test::ScriptedSandbox;
using wire::file::Bytes;
using wire::file::Cancel;
using wire::file::Credit;
using wire::file::Data;
using wire::file::Done;
using wire::file::Taken;

void say(InitEnd& init, const wire::file::Event& event) {
  init.say_bytes(wire::file::encode(init.stream, event));
}

class Stage {
 public:
  Stage(ScriptedSandbox::Script script, const wire::file::Request& request)
      : scripted_(std::move(script)), streams(scripted_.sandbox()) {
    call = ServedFileCall::begin(streams, request, [this] { ++news; }).value();
  }
  void until(const std::function<bool()>& is_done) {
    while (!is_done() && streams.pump()) {
      pollfd waiting{.fd = streams.fd(), .events = streams.wanted_events(), .revents = 0};
      if (!is_done()) EXPECT_GT(::poll(&waiting, 1, 60'000), 0);
    }
  }
  void run_to_end() {
    until([&] { return call->end().has_value(); });
  }

 private:
  ScriptedSandbox scripted_;

 public:
  Streams streams;
  int news = 0;
  std::shared_ptr<ServedFileCall> call;
};

const wire::file::Read kRead{.path = "/x"};
const wire::file::Write kWrite{.path = "/x"};

TEST(ServedFileCall, GivesCreditForWhatIsTakenAndNotBefore) {
  Stage stage(
      [](InitEnd& init) {
        (void)init.hear_file();
        say(init, Bytes{.bytes = "some"});
        say(init, Bytes{.bytes = "more"});
        const auto credit = std::get<Credit>(init.hear_file().value());
        EXPECT_EQ(credit.bytes, wire::file::encode(1, wire::file::Event(Bytes{.bytes = "some"})).size());
        say(init, Done{.bytes = 8});
      },
      kRead);
  stage.until([&] { return stage.news == 2; });
  EXPECT_EQ(std::get<Bytes>(stage.call->take().value()).bytes, "some");
  stage.run_to_end();
  EXPECT_EQ(std::get<Bytes>(stage.call->take().value()).bytes, "more") << "what came before the end is kept";
  EXPECT_FALSE(stage.call->take());
  ASSERT_OK(*stage.call->end());
  EXPECT_EQ((*stage.call->end())->bytes, 8U);
}

TEST(ServedFileCall, DataStaysWithinTheWindow) {
  Stage stage(
      [](InitEnd& init) {
        (void)init.hear_file();
        std::size_t came = 0;
        while (came < wire::file::kWindow) came += std::get<Data>(init.hear_file().value()).bytes.size();
        say(init, Taken{.bytes = 5});
        EXPECT_EQ(std::get<Data>(init.hear_file().value()).bytes, "12345");
        EXPECT_EQ(std::get<Data>(init.hear_file().value()).bytes, "") << "the end";
        say(init, Done{.bytes = came + 5});
      },
      kWrite);
  while (stage.call->room() > 0) stage.call->give(std::string(stage.call->room(), 'x'));
  stage.call->give("not taken: there is no room");
  stage.until([&] { return stage.call->room() > 0; });
  EXPECT_EQ(stage.call->room(), 5U);
  stage.call->give("12345");
  stage.call->close_input();
  EXPECT_EQ(stage.call->room(), 0U);
  stage.run_to_end();
  ASSERT_OK(*stage.call->end());
}

TEST(ServedFileCall, AFailureIsItsEnd) {
  Stage stage(
      [](InitEnd& init) {
        (void)init.hear_file();
        init.say(init.stream, wire::init::Failed{.code = static_cast<std::uint32_t>(Code::kNotFound),
                                                 .message = "there is no /x"});
        (void)init.hear_file();
      },
      kWrite);
  stage.run_to_end();
  EXPECT_THAT(*stage.call->end(), FailsSaying("there is no /x"));
  EXPECT_EQ(stage.call->room(), 0U);
  stage.call->give("more");
  stage.call->cancel({Code::kConflict, "too late"});
  EXPECT_THAT(*stage.call->end(), FailsWith(Code::kNotFound)) << "the first end counts";
}

TEST(ServedFileCall, ACancelledOneIsNotHeardAnyMore) {
  Stage stage(
      [](InitEnd& init) {
        (void)init.hear_file();
        EXPECT_TRUE(std::holds_alternative<Cancel>(init.hear_file().value()));
        say(init, Bytes{.bytes = "late"});
        say(init, Done{});
      },
      kRead);
  stage.call->cancel({Code::kTimeout, "too slow"});
  EXPECT_THAT(*stage.call->end(), FailsWith(Code::kTimeout));
  stage.until([] { return false; });
  EXPECT_FALSE(stage.call->take());
  EXPECT_THAT(*stage.call->end(), FailsWith(Code::kTimeout));
}

TEST(ServedFileCall, OneThatSendsPastTheWindowIsCancelled) {
  Stage stage(
      [](InitEnd& init) {
        (void)init.hear_file();
        for (int i = 0; i < 10; ++i) say(init, Bytes{.bytes = std::string(wire::kMaxChunk, 'x')});
        EXPECT_TRUE(std::holds_alternative<Cancel>(init.hear_file().value()));
      },
      kRead);
  stage.until([] { return false; });
  EXPECT_THAT(*stage.call->end(), FailsSaying("more than it asked for"));
}

TEST(ServedFileCall, OneThatEndsBeforeItsDataHasFailed) {
  Stage stage(
      [](InitEnd& init) {
        (void)init.hear_file();
        say(init, Done{});
        (void)init.hear_file();
      },
      kWrite);
  stage.run_to_end();
  EXPECT_THAT(*stage.call->end(), FailsWith(Code::kInternal));
}

TEST(ServedFileCall, TheEndOfTheSandboxIsItsEnd) {
  Stage stage([](InitEnd& init) { (void)init.hear_file(); }, kRead);
  stage.run_to_end();
  EXPECT_THAT(*stage.call->end(), FailsWith(Code::kUnavailable));
  EXPECT_THAT(ServedFileCall::begin(stage.streams, kRead, [] {}), FailsWith(Code::kUnavailable));
}

TEST(ServedFileCall, WhatIsMalformedEndsTheConnection) {
  Stage stage(
      [](InitEnd& init) {
        (void)init.hear_file();
        const auto good = wire::file::encode(init.stream, wire::file::Event(Done{}));
        wire::FrameReader reader;
        reader.feed(good);
        const auto type = reader.next().value().value().type;
        init.say_bytes(wire::encode_frame(type, init.stream, "nonsense"));
        EXPECT_FALSE(init.hear_file()) << "hung up";
      },
      kRead);
  stage.run_to_end();
  EXPECT_THAT(*stage.call->end(), FailsSaying("malformed"));
  EXPECT_THAT(stage.streams.pump(), FailsSaying("malformed"));
}

TEST(ServedFileCall, AWrongPathIsRefusedHere) {
  ScriptedSandbox scripted([](InitEnd&) {});
  Streams streams(scripted.sandbox());
  EXPECT_THAT(ServedFileCall::begin(streams, wire::file::Stat{.path = "relative"}, [] {}),
              FailsWith(Code::kInvalid));
}

}  // namespace
}  // namespace engine
