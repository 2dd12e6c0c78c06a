#include "engine/contexts.h"

#include <latch>

#include "tests/support/contexts_stage.h"

namespace engine {
namespace {

using base::Cause;
using base::Code;
using support::FailsSaying;
using support::FailsWith;
using test::be_ready;
using test::become_ready;
using test::bundle;
using test::ExecutionWatcher;
using test::finish;
using test::hear_code;
using test::hear_signal;
using test::hear_start;
using test::InitEnd;
using test::kLater;
using test::kOptions;
using test::said;
using test::Stage;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using wire::init::Channel;
using wire::init::Ended;
using wire::init::Executed;
using wire::init::Failed;
using wire::init::Started;
using wire::init::Wrote;
using wire::runtime::Verb;
using Clock = Contexts::Clock;

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

}  // namespace
}  // namespace engine
