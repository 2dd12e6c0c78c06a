#include "engine/served_process.h"

#include <poll.h>
#include <signal.h>

#include "tests/support/engine_peers.h"
#include "tests/support/execution_watcher.h"

namespace engine {
namespace {

using base::Cause;
using base::Code;
using support::FailsWith;
using test::ExecutionWatcher;
using test::InitEnd;
using test::ScriptedSandbox;
using testing::ElementsAre;
using wire::init::Ended;
using wire::init::Failed;
using wire::init::Input;
using wire::init::InputTaken;
using wire::init::Output;
using wire::init::Resize;
using wire::init::Signal;
using wire::init::Start;
using wire::init::Started;

const Command kCommand{.argv = {"cat"}, .input = wire::init::Stdin::kStream};

// init is told that its end was heard.
void end(InitEnd& init, const Ended& ended = {}) {
  init.say(init.stream, ended);
  (void)init.hear();
}

int hear_signal(InitEnd& init) { return static_cast<int>(std::get<Signal>(init.hear().value()).number); }

// One process whose init follows a script.
class Stage {
 public:
  explicit Stage(ScriptedSandbox::Script script, const Command& command = kCommand)
      : scripted_(std::move(script)), streams(scripted_.sandbox()) {
    process = ServedProcess::start(streams, command, {.observer = watcher}).value();
  }
  void until(const std::function<bool()>& is_done) {
    while (!is_done() && streams.pump()) {
      pollfd waiting{.fd = streams.fd(), .events = streams.wanted_events(), .revents = 0};
      if (!is_done()) EXPECT_GT(::poll(&waiting, 1, 60'000), 0);
    }
  }
  void run_to_end() {
    until([&] { return watcher->is_over(); });
  }

 private:
  ScriptedSandbox scripted_;

 public:
  Streams streams;
  std::shared_ptr<ExecutionWatcher> watcher = std::make_shared<ExecutionWatcher>();
  std::shared_ptr<ServedProcess> process;
};

TEST(ServedProcess, ItsStartOutputAndEndAreTold) {
  Stage stage([](InitEnd& init) {
    EXPECT_THAT(std::get<Start>(init.hear().value()).argv, ElementsAre("cat"));
    init.say(init.stream, Started{.pid = 7});
    init.say(init.stream, Output{.bytes = "out"});
    init.say(init.stream, Output{.channel = wire::init::Channel::kStderr, .bytes = "err"});
    end(init, {.cause = Cause::kError, .exit_code = 3});
  });
  stage.run_to_end();
  EXPECT_THAT(stage.watcher->told, ElementsAre("out:out", "err:err"));
  EXPECT_EQ(stage.watcher->ending.outcome.exit_code, 3);
  EXPECT_EQ(stage.watcher->cause(), Cause::kError);
  EXPECT_EQ(stage.process->pid(), 7U);
  EXPECT_TRUE(stage.process->is_over());
  stage.process->signal(SIGTERM);  // nothing happens
  stage.process->give_input("late");
  EXPECT_EQ(stage.watcher->ends, 1);
}

TEST(ServedProcess, OneThatCannotStartEndsAsAShellWouldSay) {
  Stage stage([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, Failed{.code = static_cast<std::uint32_t>(Code::kNotFound), .message = "exec(x)"});
    (void)init.hear();
  });
  stage.run_to_end();
  EXPECT_EQ(stage.watcher->ending.outcome.exit_code, 127);
  ASSERT_TRUE(stage.watcher->ending.error);
  EXPECT_EQ(stage.watcher->ending.error->message, "exec(x)");
  EXPECT_FALSE(stage.watcher->has_started);
}

TEST(ServedProcess, InputStaysWithinItsWindow) {
  Stage stage([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, Started{.pid = 7});
    std::size_t came = 0;
    while (came < wire::init::kInputWindow) came += std::get<Input>(init.hear().value()).bytes.size();
    EXPECT_EQ(came, wire::init::kInputWindow);
    init.say(init.stream, InputTaken{.bytes = 10});
    EXPECT_EQ(std::get<Input>(init.hear().value()).bytes, "0123456789");
    init.say(init.stream, InputTaken{.bytes = wire::init::kInputWindow});
    EXPECT_EQ(std::get<Input>(init.hear().value()).bytes, "");
    end(init);
  });
  while (stage.process->input_room() > 0) {
    stage.process->give_input(std::string(stage.process->input_room(), 'x'));
  }
  stage.process->give_input("not taken: there is no room");
  stage.until([&] { return stage.process->input_room() > 0; });
  EXPECT_EQ(stage.process->input_room(), 10U);
  stage.process->give_input("0123456789");
  stage.process->give_input("");
  EXPECT_FALSE(stage.process->has_input());
  stage.process->give_input("after its end");
  stage.run_to_end();
  EXPECT_EQ(stage.watcher->cause(), Cause::kOk);
}

TEST(ServedProcess, ATerminalIsResizedAndItsInputStaysOpen) {
  Command command{.argv = {"sh"}};
  command.terminal = wire::init::Window{};
  Stage stage(
      [](InitEnd& init) {
        (void)init.hear();
        EXPECT_EQ(std::get<Resize>(init.hear().value()).window.columns, 132);
        EXPECT_EQ(std::get<Input>(init.hear().value()).bytes, "");
        EXPECT_EQ(std::get<Input>(init.hear().value()).bytes, "on");
        end(init);
      },
      command);
  stage.process->resize({.rows = 50, .columns = 132});
  stage.process->give_input("");
  stage.process->give_input("on");
  stage.run_to_end();
}

TEST(ServedProcess, ACancelledOneIsAskedThenKilledThenGivenUp) {
  Stage stage([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, Started{.pid = 7});
    EXPECT_EQ(hear_signal(init), SIGTERM);
    EXPECT_EQ(hear_signal(init), SIGCONT);
    EXPECT_EQ(hear_signal(init), SIGKILL);
    EXPECT_EQ(hear_signal(init), SIGKILL) << "when nobody listens any more";
  });
  stage.until([&] { return stage.process->pid().has_value(); });
  stage.process->cancel();
  stage.process->cancel();
  for (int i = 0; i < 2; ++i) stage.process->keep_time(*stage.process->deadline());
  EXPECT_EQ(stage.watcher->cause(), Cause::kCancelled);
  ASSERT_TRUE(stage.watcher->ending.error);
  EXPECT_EQ(stage.process->deadline(), std::nullopt);
}

TEST(ServedProcess, OneThatEndsAfterItWasCancelledIsCancelledUnlessItEndsWell) {
  for (const auto& [ended, cause] :
       {std::pair{Ended{.cause = Cause::kInterrupted, .signal = SIGTERM}, Cause::kCancelled},
        std::pair{Ended{.cause = Cause::kError, .exit_code = 143}, Cause::kCancelled},
        std::pair{Ended{}, Cause::kOk}, std::pair{Ended{.cause = Cause::kTimeout}, Cause::kTimeout}}) {
    Stage stage([&](InitEnd& init) {
      (void)init.hear();
      (void)hear_signal(init);
      (void)hear_signal(init);
      end(init, ended);
    });
    stage.process->cancel();
    stage.run_to_end();
    EXPECT_EQ(stage.watcher->cause(), cause);
  }
}

TEST(ServedProcess, OneThatInitLetsRunPastItsTimeIsKilled) {
  Stage stage([](InitEnd& init) {
    (void)init.hear();
    EXPECT_EQ(hear_signal(init), SIGKILL);
    end(init, {.cause = Cause::kInterrupted, .signal = SIGKILL});
  });
  const auto due = stage.process->deadline();
  ASSERT_TRUE(due);
  stage.process->keep_time(*due);
  stage.run_to_end();
  EXPECT_EQ(stage.watcher->cause(), Cause::kTimeout);
}

TEST(ServedProcess, TheEndOfTheSandboxIsItsEnd) {
  Stage stage([](InitEnd& init) { (void)init.hear(); });
  stage.run_to_end();
  EXPECT_EQ(stage.watcher->cause(), Cause::kSandboxEnded);
  EXPECT_EQ(stage.watcher->ends, 1);
  EXPECT_THAT(ServedProcess::start(stage.streams, kCommand, {.observer = stage.watcher}),
              FailsWith(Code::kUnavailable));
}

TEST(ServedProcess, WhatInitWouldNotTakeIsRefused) {
  ScriptedSandbox scripted([](InitEnd&) {});
  Streams streams(scripted.sandbox());
  const Command command{.argv = {std::string("a\0b", 3)}};
  EXPECT_THAT(ServedProcess::start(streams, command, {.observer = std::make_shared<ExecutionWatcher>()}),
              FailsWith(Code::kInvalid));
}

}  // namespace
}  // namespace engine
