#include "init/context.h"

#include "tests/support/engine_of_init.h"

namespace init {
namespace {

using base::Cause;
using base::Code;
using wire::init::Event;
using wire::init::Execute;
using wire::runtime::Verb;

// The smallest runtime: what it is given is Python that it executes, one line of protocol at a time.
constexpr const char* kRuntime = R"(
import os, signal, socket, sys, time
channel = socket.socket(fileno=int(os.environ.pop('COVE_CHANNEL')))
lines = channel.makefile('rb')
def say(verb, number, payload=b''):
    sys.stdout.flush()
    channel.sendall(b'%s %d %d\n' % (verb, number, len(payload)) + payload)
    if verb in (b'ready', b'event'): assert lines.readline() == b'seen %d 0\n' % number
say(b'ready', 0, b'{}')
while True:
    header = lines.readline().split()
    if not header: sys.exit(0)
    number, code = int(header[1]), lines.read(int(header[2]))
    try: exec(code)
    except KeyboardInterrupt: say(b'event', number, b'interrupted')
    say(b'done', number, b'fine')
)";

// What happened in an execution, in order: "out:…", "err:…", "event:…", "done:…".
struct Told {
  std::vector<std::string> events;
  wire::init::Ended end;
};

class ContextTest : public support::InitTest {
 protected:
  void begin_context(sys::CgroupLimits limits = support::kRoomy) {
    begin(limits);
    send(kStream, wire::init::StartContext{.argv = {"/usr/bin/python3", "-c", kRuntime},
                                           .environment = {"PATH=/usr/bin:/bin", "GREETING=hello"},
                                           .cwd = "/"});
    await_start();
    const Event ready = next();
    ASSERT_TRUE(std::holds_alternative<wire::init::Said>(ready));
    EXPECT_EQ(std::get<wire::init::Said>(ready).piece.verb, Verb::kReady);
  }

  void execute(const std::string& code, std::uint64_t deadline_ms = 0, std::uint64_t grace_ms = 1000) {
    send(kStream, Execute{.number = ++number_,
                          .deadline_ms = deadline_ms,
                          .grace_ms = grace_ms,
                          .output_cap = 1 << 20,
                          .payload = code});
  }

  Told told() {
    Told told;
    while (true) {
      const Event event = next();
      if (const auto* wrote = std::get_if<wire::init::Wrote>(&event)) {
        EXPECT_EQ(wrote->execution, number_);
        const bool is_out = wrote->output.channel == wire::init::Channel::kStdout;
        told.events.push_back((is_out ? "out:" : "err:") + wrote->output.bytes);
      } else if (const auto* said = std::get_if<wire::init::Said>(&event)) {
        const auto& piece = said->piece;
        EXPECT_EQ(piece.execution, number_);
        told.events.push_back((piece.verb == Verb::kDone ? "done:" : "event:") + piece.bytes);
      } else if (const auto* executed = std::get_if<wire::init::Executed>(&event)) {
        EXPECT_EQ(executed->execution, number_);
        told.end = executed->end;
        return told;
      } else {
        ADD_FAILURE() << "an event of kind " << event.index();
        return told;
      }
    }
  }

  Told tell_of(const std::string& code) {
    execute(code);
    return told();
  }

  wire::init::Ended end_of_context() {
    const Event event = next();
    EXPECT_TRUE(std::holds_alternative<wire::init::Ended>(event)) << event.index();
    const auto* ended = std::get_if<wire::init::Ended>(&event);
    return ended != nullptr ? *ended : wire::init::Ended{};
  }

  static constexpr std::uint32_t kStream = 5;
  std::uint32_t number_ = 0;
};

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(ContextTest, StateLastsFromOneExecutionToTheNext) {
  begin_context();
  EXPECT_THAT(tell_of("x = 20").events, ElementsAre("done:fine"));
  const auto second = tell_of("print(x + 1)");
  EXPECT_THAT(second.events, ElementsAre("out:21\n", "done:fine"));
  EXPECT_EQ(second.end.cause, Cause::kOk);
  EXPECT_EQ(second.end.usage.stdout_bytes, 3U) << "of this execution alone";
  EXPECT_GT(second.end.usage.wall_us, 0U);
}

TEST_F(ContextTest, WhatIsWrittenFirstIsToldFirstWhoeverWritesIt) {
  begin_context();
  const auto done = tell_of(
      "os.write(1, b'a'); say(b'event', number, b'1'); os.system('printf b >&2'); say(b'event', number, "
      "b'2'); "
      "print('c')");
  EXPECT_THAT(done.events, ElementsAre("out:a", "event:1", "err:b", "event:2", "out:c\n", "done:fine"));
}

TEST_F(ContextTest, ALargeEventComesInPieces) {
  begin_context();
  execute("say(b'event', number, b'y' * 1_000_000)");
  std::size_t size = 0;
  for (const std::string& event : told().events) size += event.starts_with("event:") ? event.size() - 6 : 0;
  EXPECT_EQ(size, 1'000'000U);
}

TEST_F(ContextTest, ADeadlineInterruptsFirstAndKeepsTheState) {
  begin_context();
  tell_of("kept = 7");
  execute("time.sleep(1000)", 50);
  const auto late = told();
  EXPECT_THAT(late.events, ElementsAre("event:interrupted", "done:fine"));
  EXPECT_EQ(late.end.cause, Cause::kTimeout);
  EXPECT_THAT(tell_of("print(kept)").events, ElementsAre("out:7\n", "done:fine"));
}

TEST_F(ContextTest, WhatIgnoresTheInterruptIsKilledAndTheContextIsGone) {
  begin_context();
  execute("signal.signal(signal.SIGINT, signal.SIG_IGN); print('on', flush=True); time.sleep(1000)", 50, 50);
  const auto late = told();
  EXPECT_THAT(late.events, ElementsAre("out:on\n"));
  EXPECT_EQ(late.end.cause, Cause::kTimeout);
  EXPECT_EQ(end_of_context().signal, static_cast<std::uint32_t>(SIGKILL));
  execute("1");
  const Event refused = next();
  ASSERT_TRUE(std::holds_alternative<wire::init::Failed>(refused));
  EXPECT_THAT(std::get<wire::init::Failed>(refused).message, HasSubstr("no context on stream 5"));
}

TEST_F(ContextTest, AnInterruptReachesTheExecutionAndItsCommandsButNoIdleContext) {
  begin_context();
  send(kStream, wire::init::Signal{.number = SIGINT});
  execute("import subprocess; print('begun', flush=True); subprocess.run(['sleep', '1000'])");
  const Event begun = next();
  ASSERT_TRUE(std::holds_alternative<wire::init::Wrote>(begun));
  send(kStream, wire::init::Signal{.number = SIGINT});
  const auto done = told();
  EXPECT_EQ(done.end.cause, Cause::kInterrupted);
}

TEST_F(ContextTest, TheEndOfTheProcessIsTheEndOfItsExecution) {
  begin_context();
  const auto lost = tell_of("print('last', flush=True); os._exit(3)");
  EXPECT_THAT(lost.events, ElementsAre("out:last\n"));
  EXPECT_EQ(lost.end.cause, Cause::kContextLost);
  EXPECT_EQ(lost.end.exit_code, 3U);
  EXPECT_EQ(end_of_context().cause, Cause::kContextLost);
}

TEST_F(ContextTest, ACrashIsToldWithItsSignal) {
  begin_context();
  const auto crashed = tell_of("os.kill(os.getpid(), signal.SIGSEGV)");
  EXPECT_EQ(crashed.end.cause, Cause::kCrashed);
  EXPECT_EQ(crashed.end.signal, static_cast<std::uint32_t>(SIGSEGV));
  EXPECT_EQ(end_of_context().cause, Cause::kCrashed);
}

TEST_F(ContextTest, TooMuchMemoryIsTheCause) {
  auto limits = support::kRoomy;
  limits.memory_bytes = 128 << 20;
  begin_context(limits);
  const auto lost = tell_of("x = bytearray(1 << 30)");
  EXPECT_EQ(lost.end.cause, Cause::kOutOfMemory);
  EXPECT_EQ(lost.end.limits_hit, bit(base::Limit::kMemory));
}

TEST_F(ContextTest, ARuntimeThatSpeaksNonsenseIsNotListenedTo) {
  begin_context();
  const auto lost = tell_of("channel.sendall(b'nonsense\\n'); time.sleep(1000)");
  EXPECT_TRUE(lost.events.empty());
  EXPECT_NE(lost.end.cause, Cause::kOk);
  EXPECT_EQ(end_of_context().signal, static_cast<std::uint32_t>(SIGKILL));
}

TEST_F(ContextTest, AForgedEndOfAnotherExecutionEndsNothing) {
  begin_context();
  execute("say(b'done', number + 1, b''); say(b'done', number - 1, b''); print('still here')");
  std::vector<std::string> events;
  while (true) {
    const Event event = next();
    if (std::holds_alternative<wire::init::Executed>(event)) break;
    if (const auto* wrote = std::get_if<wire::init::Wrote>(&event)) events.push_back(wrote->output.bytes);
  }
  EXPECT_THAT(events, ElementsAre("still here\n"));
}

TEST_F(ContextTest, OneThatNeverReadsWhatItIsToldIsStillKilledInTime) {
  begin_context();
  execute(
      "signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: channel.sendall(b'event %d 0\\n' % number * "
      "1000)",
      300, 10);
  while (!std::holds_alternative<wire::init::Executed>(next())) {
  }
  EXPECT_EQ(end_of_context().signal, static_cast<std::uint32_t>(SIGKILL));
}

TEST_F(ContextTest, OneExecutionAtATimeWithRisingNumbers) {
  begin_context();
  execute("print('on', flush=True); time.sleep(1000)");
  ASSERT_TRUE(std::holds_alternative<wire::init::Wrote>(next()));
  send(kStream, Execute{.number = number_ + 1, .payload = "1"});
  const Event busy = next();
  ASSERT_TRUE(std::holds_alternative<wire::init::Failed>(busy));
  EXPECT_EQ(std::get<wire::init::Failed>(busy).code, static_cast<std::uint32_t>(Code::kConflict));
  send(kStream, wire::init::Signal{.number = SIGINT});
  told();
  send(kStream, Execute{.number = number_, .payload = "1"});
  const Event again = next();
  ASSERT_TRUE(std::holds_alternative<wire::init::Failed>(again));
  EXPECT_THAT(std::get<wire::init::Failed>(again).message, HasSubstr("rising numbers"));
}

TEST_F(ContextTest, OutputPastTheCapIsCountedPerExecution) {
  begin_context();
  send(kStream, Execute{.number = ++number_, .output_cap = 10, .payload = "print('x' * 99)"});
  const auto cut = told();
  EXPECT_THAT(cut.events, ElementsAre("out:xxxxxxxxxx", "done:fine"));
  EXPECT_EQ(cut.end.usage.dropped_bytes, 90U);
  EXPECT_EQ(cut.end.limits_hit, bit(base::Limit::kOutput));
  EXPECT_EQ(tell_of("print(1)").end.usage.dropped_bytes, 0U);
}

TEST_F(ContextTest, DeletedWithEverythingItStarted) {
  begin_context();
  const auto started = tell_of("import subprocess\nprint(subprocess.Popen(['setsid', 'sleep', '1000']).pid)");
  ASSERT_THAT(started.events, testing::SizeIs(2));
  const std::string pid = started.events[0].substr(4);
  send(kStream, wire::init::Signal{.number = SIGKILL});
  EXPECT_EQ(end_of_context().signal, static_cast<std::uint32_t>(SIGKILL));
  const auto look = "for i in $(seq 500); do kill -0 " + pid.substr(0, pid.size() - 1) +
                    " || exit 0; sleep 0.01; done; exit 1";
  EXPECT_EQ(tell(support::shell(look)).ended.cause, Cause::kOk);
}

}  // namespace
}  // namespace init
