#include "engine/context.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <boost/json/serialize.hpp>

#include "tests/support/engine_peers.h"
#include "tests/support/runtime_words.h"

namespace engine {
namespace {

using base::Cause;
using base::Code;
using base::Limit;
using support::FailsSaying;
using support::FailsWith;
using test::bundle;
using test::done;
using test::InitEnd;
using test::said;
using test::ScriptedSandbox;
using testing::ElementsAre;
using testing::IsEmpty;
using wire::init::Channel;
using wire::init::Ended;
using wire::init::Execute;
using wire::init::Executed;
using wire::init::Said;
using wire::init::Wrote;
using wire::runtime::Verb;

class Watcher : public CellObserver {
 public:
  Result<> output(Channel channel, std::string_view bytes) override {
    told.push_back((channel == Channel::kStdout ? "out:" : "err:") + std::string(bytes));
    return {};
  }
  Result<> event(const Bundle& bundle) override {
    told.push_back(boost::json::serialize(bundle.head()));
    return {};
  }
  int interrupt_fd() const override { return interrupt.get(); }
  int take_interrupt() override {
    std::uint64_t count = 0;
    return ::read(interrupt.get(), &count, sizeof count) == sizeof count ? SIGINT : 0;
  }

  std::vector<std::string> told;
  sys::UniqueFd interrupt;
};

void become_ready(InitEnd& init) {
  const auto start = std::get<wire::init::StartContext>(init.hear().value());
  EXPECT_THAT(start.argv, ElementsAre("python3", "runtime"));
  init.say(init.stream, wire::init::Started{.pid = 2});
  init.say(init.stream, said(Verb::kReady, 0, "{}"));
}

const ContextOptions kOptions{.argv = {"python3", "runtime"}};

// A context whose runtime follows `script` from its first execution on.
class Scripted {
 public:
  explicit Scripted(ScriptedSandbox::Script script)
      : sandbox_([script = std::move(script)](InitEnd& init) {
          become_ready(init);
          (void)init.hear();
          script(init);
        }) {}
  Context& context() {
    if (!context_) context_.emplace(Context::start(sandbox_.sandbox(), kOptions).value());
    return *context_;
  }
  Result<Outcome> run() { return context().execute({.code = "code"}, watcher); }

  Watcher watcher;

 private:
  ScriptedSandbox sandbox_;
  std::optional<Context> context_;
};

TEST(Context, WhatWasWrittenAndToldComesInOrder) {
  Scripted scripted([](InitEnd& init) {
    init.say(init.stream, Wrote{.execution = 1, .output = {.channel = Channel::kStdout, .bytes = "a"}});
    init.say(init.stream, said(Verb::kEvent, 1, bundle(R"({"type":"display"})")));
    init.say(init.stream, Wrote{.execution = 1, .output = {.channel = Channel::kStderr, .bytes = "b"}});
    init.say(init.stream, done(1));
    init.say(init.stream, Executed{.execution = 1, .end = {.usage = {.wall_us = 9}}});
  });
  ASSERT_OK_AND_ASSIGN(const auto outcome, scripted.run());
  EXPECT_THAT(scripted.watcher.told, ElementsAre("out:a", R"({"type":"display"})", "err:b"));
  EXPECT_EQ(outcome.cause, Cause::kOk);
  EXPECT_EQ(outcome.usage.wall_us, 9U);
  EXPECT_FALSE(scripted.context().is_lost());
}

TEST(Context, ACellArrivesAsItWasGiven) {
  ScriptedSandbox sandbox([](InitEnd& init) {
    become_ready(init);
    const auto first = std::get<Execute>(init.hear().value());
    EXPECT_EQ(first.number, 1U);
    EXPECT_EQ(first.payload, R"({"code":"x = \"é\"\n","stdin":"in"})");
    EXPECT_EQ(first.deadline_ms, 5000U);
    EXPECT_EQ(first.grace_ms, 7U);
    EXPECT_EQ(first.output_cap, 99U);
    init.say(init.stream, Executed{.execution = 1});
    EXPECT_EQ(std::get<Execute>(init.hear().value()).payload, R"({"code":"","stdin":null})");
    init.say(init.stream, Executed{.execution = 2});
  });
  ASSERT_OK_AND_ASSIGN(auto context, Context::start(sandbox.sandbox(), kOptions));
  Watcher watcher;
  EXPECT_OK(context.execute({.code = "x = \"é\"\n",
                             .input = "in",
                             .timeout = std::chrono::seconds(5),
                             .grace = std::chrono::milliseconds(7),
                             .output_cap = 99},
                            watcher));
  EXPECT_OK(context.execute({}, watcher));
}

TEST(Context, ABundleMayComeInPartsAndPieces) {
  Scripted scripted([](InitEnd& init) {
    const std::string whole = bundle(R"({"type":"result"})");
    init.say(init.stream, said(Verb::kPart, 1, whole.substr(0, 4)));
    init.say(init.stream,
             Said{{.verb = Verb::kEvent, .execution = 1, .total = 16, .bytes = whole.substr(4, 6)}});
    init.say(
        init.stream,
        Said{{.verb = Verb::kEvent, .execution = 1, .total = 16, .offset = 6, .bytes = whole.substr(10)}});
    init.say(init.stream, Executed{.execution = 1});
  });
  EXPECT_OK(scripted.run());
  EXPECT_THAT(scripted.watcher.told, ElementsAre(R"({"type":"result"})"));
}

TEST(Context, WhatCannotBeReadOrBelongsToAnotherExecutionIsLeftOut) {
  Scripted scripted([](InitEnd& init) {
    init.say(init.stream, said(Verb::kEvent, 1, "nonsense"));
    init.say(init.stream, said(Verb::kEvent, 7, bundle(R"({"type":"forged"})")));
    init.say(init.stream, done(7, R"({"status": "error"})"));
    init.say(init.stream, said(Verb::kEvent, 1, bundle(R"({"type":"good"})")));
    init.say(init.stream, Executed{.execution = 1});
  });
  ASSERT_OK_AND_ASSIGN(const auto outcome, scripted.run());
  EXPECT_THAT(scripted.watcher.told, ElementsAre(R"({"type":"good"})"));
  EXPECT_EQ(outcome.cause, Cause::kOk);
}

TEST(Context, AResultThatIsTooLargeIsReplacedByANotice) {
  Scripted scripted([](InitEnd& init) {
    const std::string chunk(wire::kMaxChunk, 'x');
    constexpr std::uint32_t kChunks = 64;
    for (int part = 0; part < 9; ++part) {
      for (std::uint32_t i = 0; i < kChunks; ++i) {
        init.say(init.stream, Said{{.verb = part < 8 ? Verb::kPart : Verb::kEvent,
                                    .execution = 1,
                                    .total = kChunks * static_cast<std::uint32_t>(chunk.size()),
                                    .offset = i * static_cast<std::uint32_t>(chunk.size()),
                                    .bytes = chunk}});
      }
    }
    init.say(init.stream, Executed{.execution = 1});
  });
  EXPECT_OK(scripted.run());
  ASSERT_EQ(scripted.watcher.told.size(), 1U);
  EXPECT_THAT(scripted.watcher.told[0], testing::HasSubstr("larger than 32 MiB was dropped"));
}

TEST(Context, CodeThatFailedIsAnErrorOrTheLimitThatItRanInto) {
  const std::pair<std::uint32_t, Cause> cases[] = {
      {0, Cause::kError},
      {bit(Limit::kOutput), Cause::kError},
      {bit(Limit::kDisk), Cause::kDiskFull},
      {bit(Limit::kPids), Cause::kPidsLimit},
      {bit(Limit::kMemory), Cause::kOutOfMemory},
  };
  for (const auto& [limits, cause] : cases) {
    Scripted scripted([hit = limits](InitEnd& init) {
      init.say(init.stream, done(1, R"({"status": "error", "exit_code": 3})"));
      init.say(init.stream, Executed{.execution = 1, .end = {.limits_hit = hit}});
    });
    ASSERT_OK_AND_ASSIGN(const auto outcome, scripted.run());
    EXPECT_EQ(outcome.cause, cause);
    EXPECT_EQ(outcome.exit_code, 3);
  }
}

TEST(Context, ALostOneSaysSoAndRunsNothingMore) {
  Scripted scripted([](InitEnd& init) {
    init.say(init.stream, Executed{.execution = 1, .end = {.cause = Cause::kCrashed, .signal = SIGSEGV}});
    init.say(init.stream, Ended{.cause = Cause::kCrashed, .signal = SIGSEGV});
  });
  ASSERT_OK_AND_ASSIGN(const auto outcome, scripted.run());
  EXPECT_EQ(outcome.cause, Cause::kCrashed);
  EXPECT_TRUE(scripted.context().is_lost());
  EXPECT_THAT(scripted.run(), FailsWith(Code::kConflict));
}

TEST(Context, TheEndOfTheSandboxIsAnEndLikeAnyOther) {
  Scripted scripted([](InitEnd&) {});
  ASSERT_OK_AND_ASSIGN(const auto outcome, scripted.run());
  EXPECT_EQ(outcome.cause, Cause::kSandboxEnded);
  EXPECT_TRUE(scripted.context().is_lost());
}

TEST(Context, AnInterruptReachesTheExecution) {
  Scripted scripted([](InitEnd& init) {
    const auto signal = std::get<wire::init::Signal>(init.hear().value());
    EXPECT_EQ(signal.number, static_cast<std::uint32_t>(SIGINT));
    init.say(init.stream, Executed{.execution = 1, .end = {.cause = Cause::kInterrupted}});
  });
  scripted.watcher.interrupt.reset(::eventfd(1, EFD_CLOEXEC));
  ASSERT_OK_AND_ASSIGN(const auto outcome, scripted.run());
  EXPECT_EQ(outcome.cause, Cause::kInterrupted);
}

TEST(Context, ARuntimeThatDoesNotBecomeReadySaysWhy) {
  ScriptedSandbox sandbox([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, Wrote{.output = {.channel = Channel::kStderr, .bytes = "no module named IPython"}});
    init.say(init.stream, Ended{.cause = Cause::kContextLost, .exit_code = 1});
  });
  EXPECT_THAT(Context::start(sandbox.sandbox(), kOptions), FailsSaying("no module named IPython"));
}

TEST(Context, OneThatCannotBeStartedSaysWhy) {
  ScriptedSandbox sandbox([](InitEnd& init) {
    (void)init.hear();
    init.say(init.stream, wire::init::Failed{.message = "exec(python3): No such file"});
  });
  EXPECT_THAT(Context::start(sandbox.sandbox(), kOptions), FailsSaying("exec(python3)"));
}

TEST(Context, TooMuchCodeIsRefusedBeforeItIsSent) {
  Scripted scripted([](InitEnd&) {});
  Watcher watcher;
  EXPECT_THAT(scripted.context().execute({.code = std::string(4 << 20, ' ')}, watcher), FailsSaying("3 MiB"));
}

}  // namespace
}  // namespace engine
