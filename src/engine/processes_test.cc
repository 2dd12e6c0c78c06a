#include "engine/processes.h"

#include <signal.h>

#include "tests/support/engine_peers.h"

namespace engine {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;
using test::InitEnd;
using test::ScriptedSandbox;
using wire::init::Acknowledge;
using wire::init::Attach;
using wire::init::Channel;
using wire::init::Ended;
using wire::init::Found;
using wire::init::Output;

class Listener : public RunObserver {
 public:
  Result<> output(Channel channel, std::string_view bytes) override {
    (channel == Channel::kStdout ? out : err) += bytes;
    return {};
  }
  std::string out;
  std::string err;
};

TEST(Processes, OneIsStartedAndLeftToItself) {
  ScriptedSandbox scripted([](InitEnd& init) {
    EXPECT_THAT(std::get<wire::init::Start>(init.hear().value()).argv, testing::ElementsAre("prog"));
    init.say(init.stream, wire::init::Started{.pid = 5});
    const auto stream = init.stream;
    EXPECT_EQ(std::get<wire::init::Signal>(init.hear().value()).number, static_cast<std::uint32_t>(SIGTERM));
    EXPECT_EQ(init.stream, stream);
  });
  Processes processes(scripted.sandbox());
  ASSERT_OK_AND_ASSIGN(const auto stream, processes.start({.argv = {"prog"}}));
  EXPECT_OK(processes.signal(stream, SIGTERM));
}

TEST(Processes, OneThatCannotBeStartedSaysWhy) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, wire::init::Failed{.message = "exec(prog): no"});
  });
  EXPECT_THAT(Processes(scripted.sandbox()).start({.argv = {"prog"}}), FailsSaying("exec(prog): no"));
}

TEST(Processes, AListHasThemByTheirStreams) {
  ScriptedSandbox scripted([](InitEnd& init) {
    EXPECT_TRUE(std::holds_alternative<wire::init::List>(init.hear().value()));
    init.say(70, Found{.pid = 2, .argv = {"a"}});
    init.say(70, Output{.bytes = "between"});
    init.say(71, Found{.kind = wire::init::Kind::kContext, .pid = 3});
    init.say(init.stream, wire::init::Done{});
  });
  ASSERT_OK_AND_ASSIGN(const auto all, Processes(scripted.sandbox()).list());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.at(70).pid, 2U);
  EXPECT_EQ(all.at(71).kind, wire::init::Kind::kContext);
}

TEST(Processes, AListWithoutAnEndIsNotWaitedForForever) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    for (std::uint32_t i = 0; i <= wire::init::kMaxListed; ++i) init.say(100 + i, Found{});
  });
  EXPECT_THAT(Processes(scripted.sandbox()).list(), FailsWith(Code::kInvalid));
}

TEST(Processes, WhatIsHadAlreadyIsLeftOutAndTheEndIsForgottenOnlyWhenAsked) {
  ScriptedSandbox scripted([](InitEnd& init) {
    EXPECT_EQ(std::get<Attach>(init.hear().value()).after, 0U);
    EXPECT_EQ(init.stream, 9U);
    init.say(9, Output{.offset = 0, .bytes = "not yet"});
    init.say(9, Found{.acknowledged = 3, .last = 6});
    init.say(9, Output{.offset = 2, .bytes = "cde"});
    init.say(9, Output{.channel = Channel::kStderr, .offset = 0, .bytes = "err"});
    init.say(9, Output{.offset = 5, .bytes = "f"});
    init.say(9, Ended{.exit_code = 4});
    EXPECT_EQ(std::get<Acknowledge>(init.hear().value()).number, 7U);
    EXPECT_FALSE(init.hear());
  });
  Processes processes(scripted.sandbox());
  EXPECT_THAT(processes.forget(9), FailsWith(Code::kConflict));
  Listener listener;
  ASSERT_OK_AND_ASSIGN(const auto outcome, processes.attach(9, {.out = 4, .error = 3}, listener));
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_EQ(listener.out, "ef");
  EXPECT_EQ(listener.err, "");
  EXPECT_OK(processes.forget(9));
}

TEST(Processes, OutputThatIsGoneIsAnErrorAndNoSilence) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(9, Found{});
    init.say(9, Output{.offset = 3, .bytes = "x"});
  });
  Listener listener;
  EXPECT_THAT(Processes(scripted.sandbox()).attach(9, {.out = 2}, listener), FailsSaying("is lost"));
  EXPECT_EQ(listener.out, "");
}

TEST(Processes, AContextIsNoProcessToAttachTo) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(9, Found{.kind = wire::init::Kind::kContext});
  });
  Listener listener;
  EXPECT_THAT(Processes(scripted.sandbox()).attach(9, {}, listener), FailsWith(Code::kInvalid));
}

TEST(Processes, OneThatDoesNotExistIsNotFound) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(9, wire::init::Failed{.code = static_cast<std::uint32_t>(Code::kNotFound), .message = "none"});
  });
  Listener listener;
  EXPECT_THAT(Processes(scripted.sandbox()).attach(9, {}, listener), FailsWith(Code::kNotFound));
}

TEST(Sandbox, OneThatIsToStayIsToldSo) {
  const auto instance = support::Instance::make().value();
  const std::string path = instance.paths().sandboxes + "/s.sock";
  support::ScriptedPeer init(path, SOCK_STREAM, [&](int socket) {
    InitEnd end(socket);
    end.say(0, wire::init::Hello{});
    EXPECT_TRUE(std::holds_alternative<wire::init::Stay>(end.hear().value()));
  });
  const support::ScriptedPeer spawner(instance.paths().spawner_socket, SOCK_SEQPACKET, [&](int socket) {
    (void)test::take_request(socket);
    test::answer(socket, test::good_reply(path));
  });
  auto client = SpawnerClient::connect(instance.paths()).value();
  ASSERT_OK_AND_ASSIGN(const auto sandbox, Sandbox::create(client, {.lifetime = Lifetime::kUntilDestroyed}));
  EXPECT_EQ(sandbox.socket_path(), path) << "where to come back to";
}

TEST(Sandbox, WhoComesBackTakesNoNumberTwice) {
  const auto instance = support::Instance::make().value();
  const std::string path = instance.paths().sandboxes + "/s.sock";
  const support::ScriptedPeer init(path, SOCK_STREAM, [&](int socket) {
    InitEnd end(socket);
    end.say(0, wire::init::Hello{.last_stream = 41});
    (void)end.hear();
    EXPECT_EQ(end.stream, 42U);
    end.say(42, wire::init::Done{});
  });
  ASSERT_OK_AND_ASSIGN(auto sandbox, Sandbox::connect("abcdefghijkmnpqr", path));
  EXPECT_OK(Processes(sandbox).list());
}

}  // namespace
}  // namespace engine
