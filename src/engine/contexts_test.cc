#include "engine/contexts.h"

#include <signal.h>

#include <latch>

#include "tests/support/engine_peers.h"
#include "tests/support/execution_watcher.h"
#include "tests/support/runtime_words.h"

namespace engine {
namespace {

using base::Cause;
using base::Code;
using support::FailsSaying;
using support::FailsWith;
using test::bundle;
using test::done;
using test::ExecutionWatcher;
using test::InitEnd;
using test::said;
using test::ScriptedSandbox;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using wire::init::Channel;
using wire::init::Ended;
using wire::init::Execute;
using wire::init::Executed;
using wire::init::Failed;
using wire::init::Signal;
using wire::init::StartContext;
using wire::init::Started;
using wire::init::Wrote;
using wire::runtime::Verb;
using Clock = Contexts::Clock;

const ContextOptions kOptions{.argv = {"python3", "runtime"}};
constexpr auto kLater = std::chrono::hours(1);

// init's side of the story.

std::uint32_t hear_start(InitEnd& init) {
  const auto start = std::get<StartContext>(init.hear().value());
  EXPECT_THAT(start.argv, ElementsAre("python3", "runtime"));
  return init.stream;
}

void be_ready(InitEnd& init, std::uint32_t stream) {
  init.say(stream, Started{.pid = 2});
  init.say(stream, said(Verb::kReady, 0, "{}"));
}

std::uint32_t become_ready(InitEnd& init) {
  const auto stream = hear_start(init);
  be_ready(init, stream);
  return stream;
}

std::string hear_code(InitEnd& init) { return std::get<Execute>(init.hear().value()).payload; }

int hear_signal(InitEnd& init) { return static_cast<int>(std::get<Signal>(init.hear().value()).number); }

void finish(InitEnd& init, std::uint32_t stream, std::uint32_t number) {
  init.say(stream, done(number));
  init.say(stream, Executed{.execution = number});
}

void crash(InitEnd& init, std::uint32_t stream, std::uint32_t number) {
  init.say(stream, Executed{.execution = number, .end = {.cause = Cause::kCrashed, .signal = SIGSEGV}});
  init.say(stream, Ended{.cause = Cause::kCrashed, .signal = SIGSEGV});
  (void)init.hear();  // that the end was heard
}

// The engine's.
class Stage {
 public:
  explicit Stage(ScriptedSandbox::Script script, const ContextLimits& limits = {})
      : scripted_(std::move(script)), streams_(scripted_.sandbox()), contexts_(streams_, limits) {}

  Contexts* operator->() { return &contexts_; }
  ContextId create(const std::string& name = "python") { return contexts_.create(name, kOptions).value(); }
  std::shared_ptr<ExecutionWatcher> execute(const ContextId& id, const std::string& name,
                                            Cell cell = Cell{.grace = std::chrono::milliseconds(7)}) {
    auto watcher = std::make_shared<ExecutionWatcher>(name, &log);
    cell.code = name;
    const auto execution = contexts_.execute(id, cell, watcher);
    EXPECT_OK(execution);
    if (execution) last = *execution;
    return watcher;
  }
  void run_to_end(const std::shared_ptr<ExecutionWatcher>& watcher) {
    EXPECT_OK(contexts_.run_until([&] { return watcher->is_over(); }));
  }
  ContextState state(const ContextId& id) { return contexts_.find(id)->state; }

  std::vector<std::string> log;
  ExecutionId last = ExecutionId::random();

 private:
  ScriptedSandbox scripted_;
  Streams streams_;
  Contexts contexts_;
};

TEST(Contexts, ExecutionsOfOneRunInTheirOrderAndWaitUntilItIsReady) {
  Stage stage([](InitEnd& init) {
    const auto stream = become_ready(init);
    for (std::uint32_t number = 1; number <= 3; ++number) {
      EXPECT_THAT(hear_code(init), HasSubstr("\"cell " + std::to_string(number)));
      init.say(stream, Wrote{.execution = number, .output = {.bytes = "text"}});
      init.say(stream, said(Verb::kEvent, number, bundle(R"({"type":"result"})")));
      finish(init, stream, number);
    }
  });
  const auto id = stage.create();
  EXPECT_EQ(stage.state(id), ContextState::kStarting);
  const auto first = stage.execute(id, "cell 1");
  stage.execute(id, "cell 2");
  const auto last = stage.execute(id, "cell 3");
  EXPECT_EQ(stage->find(id)->waiting, 3U);
  stage.run_to_end(last);
  EXPECT_THAT(stage.log, ElementsAre("cell 1 begins", "cell 1 ends", "cell 2 begins", "cell 2 ends",
                                     "cell 3 begins", "cell 3 ends"));
  EXPECT_THAT(first->told, ElementsAre("out:text", R"({"type":"result"})"));
  EXPECT_EQ(last->cause(), Cause::kOk);
  const auto info = stage->find(id).value();
  EXPECT_EQ(info.state, ContextState::kIdle);
  EXPECT_EQ(info.executions, 3U);
  EXPECT_EQ(info.waiting, 0U);
}

TEST(Contexts, TheyRunBesideEachOther) {
  Stage stage([](InitEnd& init) {
    const auto slow = become_ready(init);
    const auto fast = become_ready(init);
    EXPECT_THAT(hear_code(init), HasSubstr("slow"));
    EXPECT_THAT(hear_code(init), HasSubstr("fast"));
    finish(init, fast, 1);
    EXPECT_THAT(hear_code(init), HasSubstr("faster"));
    finish(init, fast, 2);
    finish(init, slow, 1);
  });
  const auto slow = stage.create("python");
  const auto fast = stage.create("bash");
  const auto last = stage.execute(slow, "slow");
  stage.execute(fast, "fast");
  stage.execute(fast, "faster");
  stage.run_to_end(last);
  EXPECT_THAT(stage.log, ElementsAre("slow begins", "fast begins", "fast ends", "faster begins",
                                     "faster ends", "slow ends"));
  const auto all = stage->list();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "python");
  EXPECT_EQ(all[0].cwd, "/home/user");
  EXPECT_EQ(all[1].id, fast);
}

TEST(Contexts, OneThatCannotBeStartedSaysWhyAndTheNextExecutionTriesAgain) {
  Stage stage([](InitEnd& init) {
    (void)hear_start(init);
    init.say(init.stream,
             Failed{.code = static_cast<std::uint32_t>(Code::kNotFound), .message = "no python3"});
    (void)hear_start(init);
    init.say(init.stream, Started{.pid = 2});
    init.say(init.stream, Wrote{.output = {.channel = Channel::kStderr, .bytes = "no module named IPython"}});
    init.say(init.stream, Ended{.cause = Cause::kContextLost, .exit_code = 1});
    (void)init.hear();
    const auto stream = become_ready(init);
    (void)hear_code(init);
    finish(init, stream, 1);
  });
  const auto id = stage.create();
  const auto first = stage.execute(id, "a");
  const auto second = stage.execute(id, "b");
  stage.run_to_end(second);
  for (const auto& one : {first, second}) {
    EXPECT_EQ(one->cause(), Cause::kContextLost);
    EXPECT_FALSE(one->has_started);
    EXPECT_EQ(one->ending.error->code, Code::kNotFound);
    EXPECT_THAT(one->ending.error->message, HasSubstr("context " + id.text() + " (python)"));
    EXPECT_THAT(one->ending.error->message, HasSubstr("no python3"));
  }
  EXPECT_EQ(stage.state(id), ContextState::kLost);
  const auto third = stage.execute(id, "c");
  EXPECT_EQ(stage.state(id), ContextState::kStarting);
  stage.run_to_end(third);
  EXPECT_THAT(third->ending.error->message, HasSubstr("no module named IPython"));
  const auto fourth = stage.execute(id, "d");
  stage.run_to_end(fourth);
  EXPECT_EQ(fourth->cause(), Cause::kOk);
  EXPECT_THAT(fourth->told, IsEmpty()) << "no state was lost";
}

TEST(Contexts, OneThatIsNotReadyInTimeIsKilled) {
  std::latch seen(1);
  Stage stage([&](InitEnd& init) {
    const auto first = hear_start(init);
    EXPECT_EQ(hear_signal(init), SIGKILL);
    EXPECT_EQ(init.stream, first);
    seen.wait();
  });
  const auto id = stage.create();
  const auto waiting = stage.execute(id, "a");
  EXPECT_LT(stage->deadline().value(), Clock::now() + kLater);
  EXPECT_OK(stage->pump(Clock::now() + kLater));
  EXPECT_EQ(waiting->ending.error->code, Code::kTimeout);
  EXPECT_EQ(stage.state(id), ContextState::kLost);
  EXPECT_FALSE(stage->deadline());
  seen.count_down();
}

TEST(Contexts, NoMoreMayWaitThanTheLimitSays) {
  std::latch seen(1);
  Stage stage([&](InitEnd&) { seen.wait(); }, {.contexts = 2, .waiting = {.jobs = 2, .bytes = 1000}});
  const auto id = stage.create();
  stage.execute(id, "a");
  EXPECT_THAT(stage->execute(id, {.code = std::string(1000, 'x')}, std::make_shared<ExecutionWatcher>()),
              FailsSaying("1000 bytes"));
  stage.execute(id, "b");
  const auto refused = stage->execute(id, {}, std::make_shared<ExecutionWatcher>());
  EXPECT_THAT(refused, FailsWith(Code::kExhausted));
  EXPECT_THAT(refused, FailsSaying("2 executions"));
  EXPECT_THAT(refused, FailsSaying(id.text()));
  EXPECT_THAT(stage->execute(id, {.code = std::string(4 << 20, ' ')}, std::make_shared<ExecutionWatcher>()),
              FailsSaying("3 MiB"));
  stage.create();
  EXPECT_THAT(stage->create("third", kOptions), FailsSaying("2 contexts"));
  EXPECT_THAT(stage->create("bad", {.argv = {}}), FailsWith(Code::kInvalid));
  seen.count_down();
}

TEST(Contexts, OneThatWaitsIsCancelledAtOnce) {
  std::latch seen(1);
  Stage stage([&](InitEnd& init) {
    const auto stream = become_ready(init);
    EXPECT_THAT(hear_code(init), HasSubstr("runs"));
    seen.wait();
    finish(init, stream, 1);
    EXPECT_THAT(hear_code(init), HasSubstr("next"));
    finish(init, stream, 2);
  });
  const auto id = stage.create();
  const auto runs = stage.execute(id, "runs");
  ASSERT_OK(stage->run_until([&] { return runs->has_started; }));
  const auto cancelled = stage.execute(id, "waits");
  const auto execution = stage.last;
  const auto next = stage.execute(id, "next");
  EXPECT_OK(stage->cancel(execution));
  EXPECT_EQ(cancelled->cause(), Cause::kCancelled);
  EXPECT_FALSE(cancelled->has_started);
  EXPECT_THAT(stage->cancel(execution), FailsWith(Code::kNotFound));
  EXPECT_THAT(stage->cancel(execution), FailsSaying(execution.text()));
  seen.count_down();
  stage.run_to_end(next);
  EXPECT_EQ(runs->cause(), Cause::kOk);
}

TEST(Contexts, OneThatRunsIsInterruptedByItsCancellation) {
  Stage stage([&](InitEnd& init) {
    const auto stream = become_ready(init);
    (void)hear_code(init);
    EXPECT_EQ(hear_signal(init), SIGINT);
    init.say(stream, Executed{.execution = 1, .end = {.cause = Cause::kInterrupted}});
    (void)hear_code(init);
    finish(init, stream, 2);
  });
  const auto id = stage.create();
  const auto cancelled = stage.execute(id, "a", {.grace = kLater});
  ASSERT_OK(stage->run_until([&] { return cancelled->has_started; }));
  EXPECT_OK(stage->cancel(stage.last));
  EXPECT_OK(stage->cancel(stage.last)) << "twice is as good as once";
  stage.run_to_end(cancelled);
  EXPECT_EQ(cancelled->cause(), Cause::kCancelled);
  const auto next = stage.execute(id, "b");
  stage.run_to_end(next);
  EXPECT_THAT(next->told, IsEmpty()) << "its state is there";
}

TEST(Contexts, OneThatEndedBeforeItsCancellationCameKeepsItsCause) {
  Stage stage([&](InitEnd& init) {
    const auto stream = become_ready(init);
    (void)hear_code(init);
    EXPECT_EQ(hear_signal(init), SIGINT);
    finish(init, stream, 1);
  });
  const auto id = stage.create();
  const auto watcher = stage.execute(id, "a");
  ASSERT_OK(stage->run_until([&] { return watcher->has_started; }));
  EXPECT_OK(stage->cancel(stage.last));
  stage.run_to_end(watcher);
  EXPECT_EQ(watcher->cause(), Cause::kOk);
}

TEST(Contexts, WhatOutlivesItsCancellationsGraceIsKilledWithItsContext) {
  Stage stage([&](InitEnd& init) {
    auto stream = become_ready(init);
    (void)hear_code(init);
    EXPECT_EQ(hear_signal(init), SIGINT);
    EXPECT_EQ(hear_signal(init), SIGKILL);
    init.say(stream, Executed{.execution = 1, .end = {.cause = Cause::kInterrupted, .signal = SIGKILL}});
    init.say(stream, Ended{.cause = Cause::kCrashed, .signal = SIGKILL});
    (void)init.hear();
    stream = become_ready(init);
    (void)hear_code(init);
    finish(init, stream, 1);
  });
  const auto id = stage.create();
  const auto cancelled = stage.execute(id, "a");
  ASSERT_OK(stage->run_until([&] { return cancelled->has_started; }));
  EXPECT_OK(stage->cancel(stage.last));
  stage.run_to_end(cancelled);
  EXPECT_EQ(cancelled->cause(), Cause::kCancelled);
  EXPECT_EQ(cancelled->ending.outcome.signal, SIGKILL);
  const auto next = stage.execute(id, "b");
  stage.run_to_end(next);
  EXPECT_EQ(next->notices(), 1);
}

TEST(Contexts, AnInterruptReachesWhatRunsAndNothingElse) {
  Stage stage([&](InitEnd& init) {
    const auto idle = become_ready(init);
    const auto busy = become_ready(init);
    (void)hear_code(init);
    EXPECT_EQ(init.stream, busy);
    EXPECT_EQ(hear_signal(init), SIGINT);
    EXPECT_EQ(init.stream, busy);
    init.say(busy, Executed{.execution = 1, .end = {.cause = Cause::kInterrupted}});
    EXPECT_THAT(hear_code(init), HasSubstr("later"));
    finish(init, idle, 1);
  });
  const auto idle = stage.create();
  const auto busy = stage.create();
  const auto watcher = stage.execute(busy, "a");
  ASSERT_OK(stage->run_until([&] { return watcher->has_started; }));
  EXPECT_EQ(stage.state(busy), ContextState::kBusy);
  EXPECT_OK(stage->interrupt(idle));
  EXPECT_OK(stage->interrupt(busy));
  stage.run_to_end(watcher);
  EXPECT_EQ(watcher->cause(), Cause::kInterrupted);
  stage.run_to_end(stage.execute(idle, "later"));
}

TEST(Contexts, ARestartKeepsTheIdAndTellsTheNextNothing) {
  Stage stage([&](InitEnd& init) {
    const auto before = become_ready(init);
    (void)hear_code(init);
    EXPECT_EQ(hear_signal(init), SIGKILL);
    EXPECT_EQ(init.stream, before);
    const auto after = hear_start(init);
    init.say(before, Wrote{.execution = 1, .output = {.bytes = "last words"}});
    init.say(before, Executed{.execution = 1, .end = {.cause = Cause::kCrashed, .signal = SIGKILL}});
    init.say(before, Ended{.signal = SIGKILL});
    (void)init.hear();
    be_ready(init, after);
    EXPECT_THAT(hear_code(init), HasSubstr("after"));
    finish(init, after, 1);
  });
  const auto id = stage.create();
  const auto runs = stage.execute(id, "runs");
  const auto waits = stage.execute(id, "waits");
  ASSERT_OK(stage->run_until([&] { return runs->has_started; }));
  EXPECT_OK(stage->restart(id));
  EXPECT_EQ(runs->cause(), Cause::kCancelled);
  EXPECT_EQ(waits->cause(), Cause::kCancelled);
  EXPECT_EQ(stage.state(id), ContextState::kStarting);
  const auto after = stage.execute(id, "after");
  stage.run_to_end(after);
  EXPECT_EQ(after->cause(), Cause::kOk);
  EXPECT_THAT(after->told, IsEmpty());
  EXPECT_THAT(runs->told, IsEmpty());
  EXPECT_EQ(runs->ends, 1);
}

TEST(Contexts, ARemovedOneIsKilledAndUnknown) {
  std::latch seen(1);
  Stage stage([&](InitEnd& init) {
    const auto stream = become_ready(init);
    (void)hear_code(init);
    EXPECT_EQ(hear_signal(init), SIGKILL);
    EXPECT_EQ(init.stream, stream);
    seen.wait();
  });
  const auto id = stage.create();
  const auto runs = stage.execute(id, "runs");
  const auto waits = stage.execute(id, "waits");
  ASSERT_OK(stage->run_until([&] { return runs->has_started; }));
  EXPECT_OK(stage->remove(id));
  EXPECT_EQ(runs->cause(), Cause::kCancelled);
  EXPECT_EQ(waits->cause(), Cause::kCancelled);
  EXPECT_THAT(stage->list(), IsEmpty());
  EXPECT_FALSE(stage->deadline());
  for (const auto& failed : {stage->remove(id), stage->restart(id), stage->interrupt(id)}) {
    EXPECT_THAT(failed, FailsWith(Code::kNotFound));
    EXPECT_THAT(failed, FailsSaying(id.text()));
  }
  EXPECT_THAT(stage->execute(id, {}, std::make_shared<ExecutionWatcher>()), FailsWith(Code::kNotFound));
  seen.count_down();
}

TEST(Contexts, ALostOneComesBackForWhatWaitsAndSaysSoOnce) {
  Stage stage([&](InitEnd& init) {
    auto stream = become_ready(init);
    (void)hear_code(init);
    crash(init, stream, 1);
    stream = become_ready(init);
    EXPECT_THAT(hear_code(init), HasSubstr("told"));
    finish(init, stream, 1);
    EXPECT_THAT(hear_code(init), HasSubstr("not told"));
    finish(init, stream, 2);
  });
  const auto id = stage.create();
  const auto lost = stage.execute(id, "lost");
  const auto told = stage.execute(id, "told");
  const auto not_told = stage.execute(id, "not told");
  stage.run_to_end(not_told);
  EXPECT_EQ(lost->cause(), Cause::kCrashed);
  EXPECT_EQ(lost->ending.outcome.signal, SIGSEGV);
  EXPECT_EQ(told->notices(), 1);
  EXPECT_THAT(not_told->told, IsEmpty());
}

TEST(Contexts, TheNoticeWaitsForAProcessThatBecomesReadyAndForCodeThatRuns) {
  Stage stage([&](InitEnd& init) {
    auto stream = become_ready(init);
    (void)hear_code(init);
    finish(init, stream, 1);
    init.say(stream, Ended{.cause = Cause::kCrashed, .signal = SIGKILL});  // while idle
    (void)init.hear();
    (void)hear_start(init);
    init.say(init.stream, Failed{.message = "no memory"});
    stream = become_ready(init);
    EXPECT_THAT(hear_code(init), HasSubstr("check"));
    finish(init, stream, 1);
    (void)hear_code(init);
    finish(init, stream, 2);
  });
  const auto id = stage.create();
  stage.run_to_end(stage.execute(id, "state"));
  ASSERT_OK(stage->run_until([&] { return stage.state(id) == ContextState::kLost; }));
  const auto failed = stage.execute(id, "a");
  stage.run_to_end(failed);
  EXPECT_EQ(failed->notices(), 0);
  const auto check = stage.execute(id, "b", {.purpose = Purpose::kCheck});
  stage.run_to_end(check);
  EXPECT_THAT(check->told, IsEmpty());
  const auto told = stage.execute(id, "c");
  stage.run_to_end(told);
  EXPECT_EQ(told->notices(), 1);
}

// A process may end in the very moment in which it is given something.
TEST(Contexts, WhatAProcessNeverGotIsGivenToTheNextOnce) {
  Stage stage([&](InitEnd& init) {
    auto stream = become_ready(init);
    (void)hear_code(init);
    finish(init, stream, 1);
    EXPECT_THAT(hear_code(init), HasSubstr("again"));
    for (int i = 0; i < 2; ++i) {
      init.say(stream, Ended{.cause = Cause::kCrashed, .signal = SIGKILL});
      (void)init.hear();
      stream = become_ready(init);
      EXPECT_THAT(hear_code(init), HasSubstr(i == 0 ? "again" : "last"));
    }
    finish(init, stream, 1);
  });
  const auto id = stage.create();
  stage.execute(id, "first");
  const auto again = stage.execute(id, "again");
  const auto last = stage.execute(id, "last");
  stage.run_to_end(last);
  EXPECT_EQ(again->cause(), Cause::kContextLost) << "the second time";
  EXPECT_EQ(again->notices(), 1);
  EXPECT_EQ(again->ends, 1);
  EXPECT_EQ(last->notices(), 1);
  EXPECT_EQ(stage->find(id)->executions, 3U);
}

TEST(Contexts, WhatIsSaidOfAnotherExecutionIsNotHeard) {
  Stage stage([](InitEnd& init) {
    const auto stream = become_ready(init);
    (void)hear_code(init);
    for (const std::uint32_t other : {0U, 2U, 77U}) {
      init.say(stream, Wrote{.execution = other, .output = {.bytes = "forged"}});
      init.say(stream, said(Verb::kEvent, other, bundle(R"({"type":"forged"})")));
      init.say(stream, Executed{.execution = other, .end = {.cause = Cause::kTimeout}});
    }
    init.say(stream, said(Verb::kReady, 0, "{}"));
    init.say(stream, wire::init::Found{});
    init.say(stream, wire::init::Done{});
    init.say(stream + 100, Executed{.execution = 1, .end = {.cause = Cause::kTimeout}});
    finish(init, stream, 1);
    finish(init, stream, 1);
    (void)hear_code(init);
    init.say(stream, Wrote{.execution = 1, .output = {.bytes = "late"}});
    finish(init, stream, 2);
  });
  const auto id = stage.create();
  const auto first = stage.execute(id, "a");
  const auto second = stage.execute(id, "b");
  stage.run_to_end(second);
  for (const auto& one : {first, second}) {
    EXPECT_THAT(one->told, IsEmpty());
    EXPECT_EQ(one->cause(), Cause::kOk);
    EXPECT_EQ(one->ends, 1);
  }
}

TEST(Contexts, AnInitThatDoesNotEndAnExecutionInTimeLosesTheContext) {
  std::latch seen(1);
  Stage stage(
      [&](InitEnd& init) {
        auto stream = become_ready(init);
        (void)hear_code(init);
        EXPECT_EQ(hear_signal(init), SIGKILL) << "after timeout, grace and slack";
        EXPECT_EQ(hear_signal(init), SIGKILL) << "given up";
        stream = become_ready(init);
        (void)hear_code(init);
        init.say(stream, Executed{.execution = 1, .end = {.cause = Cause::kCrashed, .signal = SIGSEGV}});
        EXPECT_EQ(hear_signal(init), SIGKILL) << "its end was not told";
        seen.wait();
      },
      {.slack = std::chrono::milliseconds(1), .last_words = std::chrono::milliseconds(1)});
  const auto id = stage.create();
  const auto first = stage.execute(id, "a", {.timeout = std::chrono::milliseconds(1), .grace{1}});
  const auto second = stage.execute(id, "b");
  stage.run_to_end(first);
  EXPECT_EQ(first->cause(), Cause::kTimeout);
  EXPECT_EQ(first->ending.outcome.limits_hit, base::bit(base::Limit::kTime));
  EXPECT_EQ(first->ending.error->code, Code::kTimeout);
  stage.run_to_end(second);
  EXPECT_EQ(second->cause(), Cause::kCrashed);
  EXPECT_FALSE(second->ending.error);
  EXPECT_EQ(stage.state(id), ContextState::kLost);
  seen.count_down();
}

TEST(Contexts, AnExecutionThatInitRefusesLosesTheContext) {
  Stage stage([](InitEnd& init) {
    auto stream = become_ready(init);
    (void)hear_code(init);
    init.say(stream, Failed{.message = "executions of a context have rising numbers"});
    EXPECT_EQ(hear_signal(init), SIGKILL);
    stream = become_ready(init);
    (void)hear_code(init);
    finish(init, stream, 1);
  });
  const auto id = stage.create();
  const auto refused = stage.execute(id, "a");
  const auto next = stage.execute(id, "b");
  stage.run_to_end(next);
  EXPECT_EQ(refused->cause(), Cause::kContextLost);
  EXPECT_THAT(refused->ending.error->message, HasSubstr("rising numbers"));
  EXPECT_EQ(next->cause(), Cause::kOk);
}

TEST(Contexts, TheEndOfTheSandboxEndsEverything) {
  Stage stage([](InitEnd& init) {
    const auto stream = become_ready(init);
    (void)become_ready(init);
    (void)hear_code(init);
    (void)hear_code(init);
    init.say(stream, Executed{.execution = 1, .end = {.cause = Cause::kCrashed, .signal = SIGSEGV}});
    init.say(0, Failed{.message = "init has no memory"});
  });
  const auto one = stage.create();
  const auto two = stage.create();
  const auto crashed = stage.execute(one, "a");
  const auto waits = stage.execute(one, "b");
  const auto runs = stage.execute(two, "c");
  stage.run_to_end(runs);
  EXPECT_EQ(crashed->cause(), Cause::kCrashed) << "as was known";
  for (const auto& ended : {waits, runs}) {
    EXPECT_EQ(ended->cause(), Cause::kSandboxEnded);
    EXPECT_THAT(ended->ending.error->message, HasSubstr("init has no memory"));
    EXPECT_EQ(ended->ends, 1);
  }
  EXPECT_FALSE(stage->pump());
  EXPECT_EQ(runs->ends, 1);
  EXPECT_EQ(stage.state(one), ContextState::kLost);
  EXPECT_FALSE(stage->create("c", kOptions));
  EXPECT_FALSE(stage->restart(one));
  EXPECT_THAT(stage->execute(one, {}, std::make_shared<ExecutionWatcher>()),
              FailsSaying("init has no memory"));
}

TEST(Contexts, AnObserverThatFailsIsToldNothingMoreAndItsExecutionIsCancelled) {
  Stage stage([](InitEnd& init) {
    const auto stream = become_ready(init);
    (void)hear_code(init);
    for (int i = 0; i < 3; ++i) init.say(stream, Wrote{.execution = 1, .output = {.bytes = "text"}});
    EXPECT_EQ(hear_signal(init), SIGINT);
    init.say(stream, Executed{.execution = 1, .end = {.cause = Cause::kInterrupted}});
  });
  const auto id = stage.create();
  const auto watcher = stage.execute(id, "a", {.grace = kLater});
  watcher->on_hearing = [] { return base::fail(Code::kUnavailable, "its client has gone"); };
  stage.run_to_end(watcher);
  EXPECT_THAT(watcher->told, ElementsAre("out:text"));
  EXPECT_EQ(watcher->cause(), Cause::kCancelled);
}

// What an observer does in the middle of being told is no less safe than at any other time.
TEST(Contexts, AnObserverMayRemoveOrRestartItsOwnContext) {
  enum class Deed { kRemove, kRestart, kCancel };
  for (const auto deed : {Deed::kRemove, Deed::kRestart, Deed::kCancel}) {
    std::latch spoken(1);
    Stage stage([&](InitEnd& init) {
      const auto stream = become_ready(init);
      (void)hear_code(init);
      init.say(stream, said(Verb::kEvent, 1, bundle(R"({"type":"result"})")));
      init.say(stream, Wrote{.execution = 1, .output = {.bytes = "text"}});
      EXPECT_EQ(hear_signal(init), deed == Deed::kCancel ? SIGINT : SIGKILL);
      init.say(stream, Executed{.execution = 1, .end = {.cause = Cause::kInterrupted}});
      spoken.count_down();
    });
    const auto id = stage.create();
    auto watcher = stage.execute(id, "a", {.grace = kLater});
    const std::weak_ptr<ExecutionWatcher> weak = watcher;
    std::size_t told = 0;
    Cause cause = Cause::kOk;
    watcher->on_hearing = [&, execution = stage.last]() -> Result<> {
      told = weak.lock()->told.size();
      if (told > 1) return {};
      if (deed == Deed::kRemove) EXPECT_OK(stage->remove(id));
      if (deed == Deed::kRestart) EXPECT_OK(stage->restart(id));
      if (deed == Deed::kCancel) EXPECT_OK(stage->cancel(execution));
      if (deed != Deed::kCancel) cause = weak.lock()->cause();
      return {};
    };
    watcher.reset();  // Contexts holds it until it has ended
    EXPECT_OK(stage->run_until([&] { return weak.expired(); }));
    EXPECT_EQ(told, deed == Deed::kCancel ? 2U : 1U);
    if (deed != Deed::kCancel) EXPECT_EQ(cause, Cause::kCancelled);
    spoken.wait();
  }
}

TEST(Contexts, AnObserverMayRemoveItsContextBeforeAnythingIsHeard) {
  class Leaver : public ExecutionWatcher {
   public:
    void started(const ExecutionId&) override { leave(); }
    std::function<void()> leave;
  };
  Stage stage([](InitEnd& init) {
    (void)become_ready(init);
    (void)hear_code(init);
    EXPECT_EQ(hear_signal(init), SIGKILL);
  });
  const auto id = stage.create();
  auto leaver = std::make_shared<Leaver>();
  leaver->leave = [&] { EXPECT_OK(stage->remove(id)); };
  const std::weak_ptr<Leaver> weak = leaver;
  ASSERT_OK(stage->execute(id, {}, std::move(leaver)));
  EXPECT_OK(stage->run_until([&] { return weak.expired(); }));
}

TEST(Contexts, TheNextMayBeAskedForWhenOneEnds) {
  class Chain : public ExecutionWatcher {
   public:
    void ended(const Ending& ending) override {
      ExecutionWatcher::ended(ending);
      then();
    }
    std::function<void()> then;
  };
  Stage stage([](InitEnd& init) {
    const auto stream = become_ready(init);
    for (std::uint32_t number = 1; number <= 2; ++number) {
      (void)hear_code(init);
      finish(init, stream, number);
    }
  });
  const auto id = stage.create();
  const auto chain = std::make_shared<Chain>();
  std::shared_ptr<ExecutionWatcher> next;
  chain->then = [&] { next = stage.execute(id, "next"); };
  ASSERT_OK(stage->execute(id, {}, chain));
  ASSERT_OK(stage->run_until([&] { return next && next->is_over(); }));
  EXPECT_EQ(next->cause(), Cause::kOk);
}

}  // namespace
}  // namespace engine
