// Contexts that are lost, an init that does not keep to its part, and observers that do as they like.
#include <latch>

#include "engine/contexts.h"
#include "tests/support/contexts_stage.h"

namespace engine {
namespace {

using base::Cause;
using base::Code;
using support::FailsSaying;
using test::become_ready;
using test::bundle;
using test::crash;
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
using wire::init::Ended;
using wire::init::Executed;
using wire::init::Failed;
using wire::init::Wrote;
using wire::runtime::Verb;

TEST(LostContexts, ALostOneComesBackForWhatWaitsAndSaysSoOnce) {
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

TEST(LostContexts, TheNoticeWaitsForAProcessThatBecomesReadyAndForCodeThatRuns) {
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
TEST(LostContexts, WhatAProcessNeverGotIsGivenToTheNextOnce) {
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

TEST(LostContexts, WhatIsSaidOfAnotherExecutionIsNotHeard) {
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

TEST(LostContexts, AnInitThatDoesNotEndAnExecutionInTimeLosesTheContext) {
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

TEST(LostContexts, AnExecutionThatInitRefusesLosesTheContext) {
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

TEST(LostContexts, TheEndOfTheSandboxEndsEverything) {
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

TEST(LostContexts, AnObserverThatFailsIsToldNothingMoreAndItsExecutionIsCancelled) {
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
TEST(LostContexts, AnObserverMayRemoveOrRestartItsOwnContext) {
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

TEST(LostContexts, AnObserverMayRemoveItsContextBeforeAnythingIsHeard) {
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

TEST(LostContexts, TheNextMayBeAskedForWhenOneEnds) {
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
