// Contexts that come from a zygote.
#include "tests/support/contexts_stage.h"

namespace engine {
namespace {

using base::Code;
using test::be_ready;
using test::become_ready;
using test::Cause;
using test::ExecutionWatcher;
using test::finish;
using test::hear_code;
using test::hear_signal;
using test::InitEnd;
using test::ScriptedSandbox;
using wire::init::Done;
using wire::init::Ended;
using wire::init::ExpectContext;
using wire::init::Started;
using wire::spawner::Unready;

const ContextOptions kBorn{.argv = {"python3", "runtime"}, .birth = Birth::kZygoteIfReady};

std::uint32_t hear_expectation(InitEnd& init) {
  EXPECT_TRUE(std::holds_alternative<ExpectContext>(init.hear().value()));
  return init.stream;
}

// With somebody who asks the spawner, and answers as the test likes.
class Ward {
 public:
  explicit Ward(ScriptedSandbox::Script script)
      : scripted_(std::move(script)),
        streams_(scripted_.sandbox()),
        contexts(streams_, {}, [this](std::uint32_t, Unready, std::function<void(Result<>)> told) {
          ++asked;
          tell = std::move(told);
          if (on_asked) on_asked();
        }) {}

  std::shared_ptr<ExecutionWatcher> run(const ContextOptions& options = kBorn) {
    auto watcher = std::make_shared<ExecutionWatcher>();
    const auto id = contexts.create("python", options).value();
    EXPECT_OK(contexts.execute(id, {.code = "1"}, watcher));
    EXPECT_OK(contexts.run_until([&] { return watcher->is_over(); }));
    return watcher;
  }

 private:
  ScriptedSandbox scripted_;
  Streams streams_;

 public:
  Contexts contexts;
  int asked = 0;
  std::function<void(Result<>)> tell;
  std::function<void()> on_asked;
};

TEST(Birth, OneThatWaitsInTheSandboxIsTakenWithoutAskingAnybody) {
  Ward ward([](InitEnd& init) {
    const auto stream = hear_expectation(init);
    be_ready(init, stream);
    (void)hear_code(init);
    finish(init, stream, 1);
    (void)init.hear();
  });
  EXPECT_EQ(ward.run()->cause(), Cause::kOk);
  EXPECT_EQ(ward.asked, 0);
}

TEST(Birth, OneThatIsExpectedIsAskedFor) {
  Ward ward([](InitEnd& init) {
    const auto stream = hear_expectation(init);
    init.say(stream, Done{});
    be_ready(init, stream);
    (void)hear_code(init);
    finish(init, stream, 1);
    (void)init.hear();
  });
  ward.on_asked = [&] { ward.tell({}); };
  EXPECT_EQ(ward.run()->cause(), Cause::kOk);
  EXPECT_EQ(ward.asked, 1);
}

TEST(Birth, OneThatIsNotToBeHadStartsCold) {
  Ward ward([](InitEnd& init) {
    const auto stream = hear_expectation(init);
    init.say(stream, Done{});
    EXPECT_EQ(hear_signal(init), SIGKILL);
    EXPECT_EQ(init.stream, stream) << "init is not to wait for it";
    const auto cold = become_ready(init);
    (void)hear_code(init);
    finish(init, cold, 1);
    (void)init.hear();
  });
  ward.on_asked = [&] { ward.tell(base::fail(Code::kUnavailable, "not ready")); };
  EXPECT_EQ(ward.run()->cause(), Cause::kOk);
}

TEST(Birth, OneThatHadWaitedAndIsDeadStartsCold) {
  Ward ward([](InitEnd& init) {
    const auto stream = hear_expectation(init);
    init.say(stream, Started{.pid = 3});
    init.say(stream, Ended{.cause = Cause::kCrashed, .signal = SIGKILL});
    (void)init.hear();  // that its end was heard
    const auto cold = become_ready(init);
    (void)hear_code(init);
    finish(init, cold, 1);
    (void)init.hear();
  });
  EXPECT_EQ(ward.run()->cause(), Cause::kOk);
  EXPECT_EQ(ward.asked, 0);
}

TEST(Birth, AZygoteThatIsWaitedForAndFailsIsAnError) {
  Ward ward([](InitEnd& init) {
    const auto stream = hear_expectation(init);
    init.say(stream, Done{});
    (void)init.hear();
    (void)init.hear();
  });
  ward.on_asked = [&] { ward.tell(base::fail(Code::kInternal, "it cannot be born")); };
  ContextOptions options = kBorn;
  options.birth = Birth::kZygote;
  const auto watcher = ward.run(options);
  EXPECT_EQ(watcher->cause(), Cause::kContextLost);
  EXPECT_THAT(watcher->ending.error.value().message, testing::HasSubstr("it cannot be born"));
}

TEST(Birth, AnAnswerThatComesAfterARestartChangesNothing) {
  Ward ward([](InitEnd& init) {
    const auto first = hear_expectation(init);
    init.say(first, Done{});
    EXPECT_EQ(hear_signal(init), SIGKILL);
    const auto second = hear_expectation(init);
    EXPECT_EQ(hear_signal(init), SIGKILL) << "of the answer";
    EXPECT_EQ(init.stream, first);
    be_ready(init, second);
    (void)hear_code(init);
    finish(init, second, 1);
    (void)init.hear();
  });
  const auto id = ward.contexts.create("python", kBorn).value();
  EXPECT_OK(ward.contexts.run_until([&] { return ward.asked == 1; }));
  EXPECT_OK(ward.contexts.restart(id));
  ward.tell(base::fail(Code::kUnavailable, "not ready"));
  const auto watcher = std::make_shared<ExecutionWatcher>();
  EXPECT_OK(ward.contexts.execute(id, {.code = "1"}, watcher));
  EXPECT_OK(ward.contexts.run_until([&] { return watcher->is_over(); }));
  EXPECT_EQ(watcher->cause(), Cause::kOk);
  const auto tell = ward.tell;
  EXPECT_OK(ward.contexts.remove(id));
  tell(base::fail(Code::kUnavailable, "and after it was removed"));
}

TEST(Birth, RootAndThoseWithoutAMidwifeStartCold) {
  Ward ward([](InitEnd& init) {
    const auto cold = become_ready(init);
    (void)hear_code(init);
    finish(init, cold, 1);
    (void)init.hear();
  });
  ContextOptions options = kBorn;
  options.user = wire::init::User::kRoot;
  EXPECT_EQ(ward.run(options)->cause(), Cause::kOk);
  EXPECT_EQ(ward.asked, 0);
}

}  // namespace
}  // namespace engine
