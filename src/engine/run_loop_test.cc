#include "engine/run_loop.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

#include "tests/support/engine_peers.h"

namespace engine {
namespace {

using base::Cause;
using base::Code;
using support::FailsSaying;
using support::FailsWith;
using test::InitEnd;
using test::ScriptedSandbox;
using wire::init::Channel;
using wire::init::Ended;
using wire::init::Input;
using wire::init::InputTaken;
using wire::init::Output;
using wire::init::Start;

class Watcher : public RunObserver {
 public:
  Result<> output(Channel channel, std::string_view bytes) override {
    (channel == Channel::kStdout ? out : err) += bytes;
    if (refuses) return base::fail(Code::kUnavailable, "nobody listens");
    return {};
  }
  int input_fd() const override { return input; }
  std::optional<wire::init::Window> window() const override { return terminal; }
  int interrupt_fd() const override { return interrupt.get(); }
  int take_interrupt() override {
    std::uint64_t signal = 0;
    return ::read(interrupt.get(), &signal, sizeof signal) == sizeof signal ? static_cast<int>(signal) : 0;
  }

  std::string out;
  std::string err;
  int input = -1;
  std::optional<wire::init::Window> terminal;
  sys::UniqueFd interrupt;
  bool refuses = false;
};

Command command() { return {.argv = {"prog", "arg"}, .environment = {"A=1"}}; }

TEST(RunLoop, TheLastWordsOfInitAreTheRunsError) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(wire::init::kConnection, wire::init::Failed{.message = "poll: no memory"});
  });
  Watcher watcher;
  EXPECT_THAT(scripted.sandbox().run(command(), watcher), FailsSaying("poll: no memory"));
}

TEST(RunLoop, ACommandArrivesAsItWasGiven) {
  ScriptedSandbox scripted([](InitEnd& init) {
    const auto start = std::get<Start>(init.hear().value());
    EXPECT_THAT(start.argv, testing::ElementsAre("prog", "arg"));
    EXPECT_THAT(start.environment, testing::ElementsAre("A=1"));
    EXPECT_EQ(start.cwd, "/tmp");
    EXPECT_EQ(start.user, wire::init::User::kRoot);
    EXPECT_EQ(start.input, wire::init::Stdin::kStream);
    EXPECT_EQ(start.deadline_ms, 5000U);
    EXPECT_EQ(start.grace_ms, 7U);
    EXPECT_EQ(start.output_cap, 99U);
    init.say(init.stream, Ended{});
  });
  Watcher watcher;
  const Command all{.argv = {"prog", "arg"},
                    .environment = {"A=1"},
                    .cwd = "/tmp",
                    .user = wire::init::User::kRoot,
                    .input = wire::init::Stdin::kStream,
                    .timeout = std::chrono::seconds(5),
                    .grace = std::chrono::milliseconds(7),
                    .output_cap = 99};
  EXPECT_OK(scripted.sandbox().run(all, watcher));
}

TEST(RunLoop, OutputAndTheEndAreHandedOn) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, wire::init::Started{.pid = 2});
    init.say(init.stream, Output{.channel = Channel::kStdout, .bytes = "out"});
    init.say(init.stream, Output{.channel = Channel::kStderr, .bytes = "err"});
    init.say(init.stream, Ended{.cause = Cause::kCrashed,
                                .exit_code = 1,
                                .signal = 11,
                                .limits_hit = 3,
                                .usage = {.wall_us = 42}});
  });
  Watcher watcher;
  ASSERT_OK_AND_ASSIGN(const auto outcome, scripted.sandbox().run(command(), watcher));
  EXPECT_EQ(watcher.out, "out");
  EXPECT_EQ(watcher.err, "err");
  EXPECT_EQ(outcome.cause, Cause::kCrashed);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.signal, 11);
  EXPECT_EQ(outcome.limits_hit, 3U);
  EXPECT_EQ(outcome.usage.wall_us, 42U);
}

TEST(RunLoop, EventsOfAnotherRunMeanNothing) {
  ScriptedSandbox scripted([](InitEnd& init) {
    for (int i = 0; i < 2; ++i) {
      (void)init.hear();
      init.say(init.stream - 1, Output{.bytes = "old"});
      init.say(init.stream - 1, Ended{.exit_code = 9});
      init.say(init.stream, Output{.bytes = "new"});
      init.say(init.stream, Ended{});
    }
  });
  for (int i = 0; i < 2; ++i) {
    Watcher watcher;
    EXPECT_EQ(scripted.sandbox().run(command(), watcher)->exit_code, 0);
    EXPECT_EQ(watcher.out, "new");
  }
}

TEST(RunLoop, ARefusedStartIsAnErrorWithItsReason) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, wire::init::Failed{.code = static_cast<std::uint32_t>(Code::kNotFound),
                                             .sys_errno = ENOENT,
                                             .message = "exec(prog): no"});
  });
  Watcher watcher;
  const auto failed = scripted.sandbox().run(command(), watcher);
  EXPECT_THAT(failed, FailsWith(Code::kNotFound));
  EXPECT_THAT(failed, FailsSaying("exec(prog): no"));
}

TEST(RunLoop, ASandboxThatVanishesEndsTheRunAsSuch) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, Output{.bytes = "last words"});
  });
  Watcher watcher;
  ASSERT_OK_AND_ASSIGN(const auto outcome, scripted.sandbox().run(command(), watcher));
  EXPECT_EQ(outcome.cause, Cause::kSandboxEnded);
  EXPECT_EQ(watcher.out, "last words");
}

TEST(RunLoop, AnInitThatBreaksTheProtocolIsNotListenedTo) {
  for (const std::string& bytes :
       {std::string(12, '\xff'), wire::encode_frame(0x2ff, 1, ""), wire::encode_frame(0x203, 1, "short")}) {
    ScriptedSandbox scripted([&](InitEnd& init) {
      (void)init.hear();
      init.say_bytes(bytes);
      EXPECT_FALSE(init.hear());
    });
    Watcher watcher;
    EXPECT_THAT(scripted.sandbox().run(command(), watcher), FailsWith(Code::kInvalid));
  }
}

TEST(RunLoop, InputFlowsWithinItsWindowAndEndsOnce) {
  static constexpr std::size_t kTotal = 1 << 20;
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    std::size_t seen = 0;
    std::size_t under_way = 0;
    while (true) {
      const auto input = std::get<Input>(init.hear().value());
      if (input.bytes.empty()) break;
      EXPECT_EQ(input.bytes, std::string(input.bytes.size(), 'i'));
      seen += input.bytes.size();
      under_way += input.bytes.size();
      EXPECT_LE(under_way, wire::init::kInputWindow);
      // Late, so that the window is what holds the engine back.
      if (under_way + wire::kMaxChunk <= wire::init::kInputWindow && seen < kTotal) continue;
      init.say(init.stream, InputTaken{.bytes = static_cast<std::uint32_t>(under_way)});
      under_way = 0;
    }
    EXPECT_EQ(seen, kTotal);
    init.say(init.stream, Ended{});
    EXPECT_FALSE(init.hear());
  });
  auto pipe = sys::make_pipe().value();
  ASSERT_GT(::fcntl(pipe.write.get(), F_SETPIPE_SZ, kTotal), 0);
  ASSERT_OK(sys::write_all(pipe.write.get(), std::string(kTotal, 'i')));
  pipe.write.reset();
  Watcher watcher;
  watcher.input = pipe.read.get();
  EXPECT_OK(scripted.sandbox().run(command(), watcher));
}

TEST(RunLoop, MoreAcknowledgedThanSentStallsNothing) {
  static constexpr std::size_t kTotal = 1 << 20;
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    std::size_t seen = 0;
    while (seen < kTotal) {
      init.say(init.stream, InputTaken{.bytes = wire::init::kInputWindow});
      seen += std::get<Input>(init.hear().value()).bytes.size();
    }
    init.say(init.stream, Ended{});
  });
  const auto pipe = sys::make_pipe().value();
  ASSERT_GT(::fcntl(pipe.write.get(), F_SETPIPE_SZ, kTotal), 0);
  ASSERT_OK(sys::write_all(pipe.write.get(), std::string(kTotal, 'i')));
  Watcher watcher;
  watcher.input = pipe.read.get();
  EXPECT_OK(scripted.sandbox().run(command(), watcher));
}

TEST(RunLoop, WhatWasHandedOnIsAcknowledgedBeforeInitHasNoRoomLeft) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    const Output chunk{.bytes = std::string(wire::kMaxChunk, 'x')};
    std::size_t cost = 0;
    std::uint64_t count = 0;
    for (; cost < wire::init::kOutputWindow; cost += wire::init::cost_of(chunk), ++count) {
      init.say(init.stream, Output{.offset = count * wire::kMaxChunk, .bytes = chunk.bytes});
    }
    const auto seen = std::get<wire::init::Acknowledge>(init.hear().value());
    EXPECT_GE(seen.number, 1U);
    EXPECT_LE(seen.number, count);
    init.say(init.stream, Ended{});
  });
  Watcher watcher;
  EXPECT_OK(scripted.sandbox().run(command(), watcher));
}

TEST(RunLoop, AnInterruptIsPassedOn) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    EXPECT_EQ(std::get<wire::init::Signal>(init.hear().value()).number, static_cast<std::uint32_t>(SIGINT));
    init.say(init.stream, Ended{.cause = Cause::kInterrupted, .signal = SIGINT});
  });
  Watcher watcher;
  watcher.interrupt.reset(::eventfd(SIGINT, EFD_CLOEXEC | EFD_NONBLOCK));
  EXPECT_EQ(scripted.sandbox().run(command(), watcher)->cause, Cause::kInterrupted);
}

TEST(RunLoop, ATerminalBringsInputAndFollowsItsWindow) {
  ScriptedSandbox scripted([](InitEnd& init) {
    const auto start = std::get<Start>(init.hear().value());
    EXPECT_EQ(start.input, wire::init::Stdin::kStream);
    EXPECT_EQ(start.terminal.value().columns, 80);
    EXPECT_EQ(std::get<wire::init::Resize>(init.hear().value()).window.rows, 50);
    init.say(init.stream, Ended{});
  });
  Watcher watcher;
  watcher.terminal = {.rows = 50, .columns = 100};
  watcher.interrupt.reset(::eventfd(SIGWINCH, EFD_CLOEXEC | EFD_NONBLOCK));
  Command shell = command();
  shell.terminal = wire::init::Window{};
  EXPECT_OK(scripted.sandbox().run(shell, watcher));
}

TEST(RunLoop, AWatcherThatTakesNoMoreEndsTheWatching) {
  ScriptedSandbox scripted([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, Output{.bytes = "x"});
  });
  Watcher watcher;
  watcher.refuses = true;
  EXPECT_THAT(scripted.sandbox().run(command(), watcher), FailsSaying("nobody listens"));
}

TEST(RunLoop, WhatInitWouldHangUpOnIsRefusedWithAReason) {
  ScriptedSandbox scripted([](InitEnd& init) { EXPECT_FALSE(init.hear()); });
  Watcher watcher;
  Command crowd = command();
  crowd.argv.assign(wire::init::kMaxStrings + 1, "x");
  EXPECT_THAT(scripted.sandbox().run(crowd, watcher), FailsWith(Code::kInvalid));
  Command nameless = command();
  nameless.argv.clear();
  EXPECT_THAT(scripted.sandbox().run(nameless, watcher), FailsWith(Code::kInvalid));
}

}  // namespace
}  // namespace engine
