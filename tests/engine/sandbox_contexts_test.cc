// Many contexts at once in real sandboxes of the template base.
#include <gmock/gmock.h>
#include <signal.h>

#include "engine/contexts.h"
#include "engine/processes.h"
#include "tests/support/execution_watcher.h"
#include "tests/support/result.h"
#include "tests/support/world.h"

namespace {

using base::Cause;
using base::Code;
using engine::Cell;
using engine::ContextId;
using engine::ContextState;
using engine::test::ExecutionWatcher;
using support::FailsWith;
using support::World;
using testing::ElementsAre;
using testing::HasSubstr;
using Watched = std::shared_ptr<ExecutionWatcher>;

constexpr auto kLong = std::chrono::hours(1);

class SandboxContexts : public testing::Test {
 protected:
  void SetUp() override {
    auto& spawner = World::current()->spawner();
    options_.root = spawner.base_template();
    auto made = engine::Sandbox::create(spawner.client(), options_);
    ASSERT_OK(made);
    sandbox_.emplace(*std::move(made));
    streams_.emplace(*sandbox_);
    contexts_.emplace(*streams_);
  }
  void TearDown() override {
    contexts_.reset();
    streams_.reset();
    if (sandbox_) EXPECT_OK(sandbox_->destroy(World::current()->spawner().client()));
  }

  ContextId create(const std::string& name, std::vector<std::string> argv) {
    return contexts_
        ->create(name, {.argv = std::move(argv),
                        .environment = base_environment(wire::init::User::kUser, options_)})
        .value();
  }
  ContextId python() { return create("python", {"python3", "/usr/lib/cove/runtimes/python/start.py"}); }
  ContextId node() {
    return create("javascript", {"node", "--expose-internals", "/usr/lib/cove/runtimes/node/start.js"});
  }
  ContextId bash() { return create("bash", {"bash", "/usr/lib/cove/runtimes/bash/start.sh"}); }

  Watched execute(const ContextId& id, const std::string& name, Cell cell) {
    auto watcher = std::make_shared<ExecutionWatcher>(name, &log_);
    auto execution = contexts_->execute(id, cell, watcher);
    EXPECT_OK(execution);
    if (execution) last_ = *execution;
    return watcher;
  }
  Watched execute(const ContextId& id, const std::string& code) { return execute(id, code, {.code = code}); }
  void until(const std::function<bool()>& is_done) { ASSERT_OK(contexts_->run_until(is_done)); }
  Watched run(const ContextId& id, const std::string& code) {
    auto watcher = execute(id, code);
    until([&] { return watcher->is_over(); });
    return watcher;
  }
  // Once the execution has come to where it says so.
  void until_it_says(const Watched& watcher, const std::string& word) {
    until([&] { return watcher->is_over() || watcher->text.find(word) != std::string::npos; });
    ASSERT_FALSE(watcher->is_over()) << watcher->text;
  }

  engine::SandboxOptions options_;
  std::optional<engine::Sandbox> sandbox_;
  std::optional<engine::Streams> streams_;
  std::optional<engine::Contexts> contexts_;
  std::vector<std::string> log_;
  engine::ExecutionId last_ = engine::ExecutionId::random();
};

TEST_F(SandboxContexts, ThreeLanguagesRunBesideEachOtherAndEachInItsOrder) {
  const auto slow = python();
  const auto other = node();
  const auto shell = bash();
  // Ends only when both of the others have run.
  execute(
      slow, "python",
      {.code = "import os, time\nwhile not (os.path.exists('/tmp/node') and os.path.exists('/tmp/bash')): "
               "time.sleep(0.01)\nx = 1"});
  const auto after = execute(slow, "python again", {.code = "print(x + 1)"});
  execute(other, "node", {.code = "const y = 20"});
  const auto kept = execute(other, "node again",
                            {.code = "console.log(y + 2); require('fs').writeFileSync('/tmp/node', '')"});
  execute(shell, "bash", {.code = "z=300"});
  const auto said = execute(shell, "bash again", {.code = "echo $((z + 3)); touch /tmp/bash"});
  until([&] { return after->is_over(); });
  EXPECT_EQ(after->text, "2\n");
  EXPECT_EQ(kept->text, "22\n");
  EXPECT_EQ(said->text, "303\n");
  const auto at = [&](const std::string& what) { return std::ranges::find(log_, what) - log_.begin(); };
  EXPECT_LT(at("node ends"), at("node again begins"));
  EXPECT_LT(at("bash ends"), at("bash again begins"));
  EXPECT_LT(at("node again ends"), at("python ends"));
  EXPECT_LT(at("bash again ends"), at("python ends"));
  EXPECT_LT(at("python ends"), at("python again begins"));
  EXPECT_EQ(log_.size(), 12U);
  std::vector<std::string> names;
  for (const auto& info : contexts_->list()) {
    names.push_back(info.name);
    EXPECT_EQ(info.state, ContextState::kIdle);
    EXPECT_EQ(info.executions, 2U);
  }
  EXPECT_THAT(names, ElementsAre("python", "javascript", "bash"));
}

TEST_F(SandboxContexts, AnInterruptOrACancellationHitsItsOwnContextAlone) {
  const auto one = python();
  const auto two = python();
  const auto endless = "print('begun', flush=True)\nimport time\nwhile True: time.sleep(0.01)";
  const auto first = execute(one, endless);
  const auto second = execute(two, endless);
  const auto cancelled = last_;
  until_it_says(first, "begun");
  until_it_says(second, "begun");
  EXPECT_OK(contexts_->interrupt(one));
  until([&] { return first->is_over(); });
  EXPECT_EQ(first->cause(), Cause::kInterrupted);
  EXPECT_EQ(run(one, "print('alive')")->text, "alive\n");
  EXPECT_FALSE(second->is_over());
  EXPECT_OK(contexts_->cancel(cancelled));
  until([&] { return second->is_over(); });
  EXPECT_EQ(second->cause(), Cause::kCancelled);
  EXPECT_EQ(run(two, "print(time.__name__)")->text, "time\n") << "its state is there";
}

TEST_F(SandboxContexts, WhatDoesNotHeedItsCancellationIsKilled) {
  const auto id = python();
  const auto deaf = execute(id, "deaf",
                            {.code = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                                     "print('begun', flush=True)\nwhile True: pass",
                             .grace = std::chrono::milliseconds(50)});
  until_it_says(deaf, "begun");
  EXPECT_OK(contexts_->cancel(last_));
  until([&] { return deaf->is_over(); });
  EXPECT_EQ(deaf->cause(), Cause::kCancelled);
  EXPECT_EQ(deaf->ending.outcome.signal, SIGKILL);
  EXPECT_GT(deaf->ending.outcome.usage.wall_us, 0U) << "init has told its end";
  EXPECT_EQ(run(id, "print('back')")->notices(), 1);
}

TEST_F(SandboxContexts, ARestartClearsTheStateAndKeepsTheId) {
  const auto id = bash();
  run(id, "name=value; cd /tmp");
  const auto runs = execute(id, "echo begun; sleep 1000");
  const auto waits = execute(id, "echo never");
  until_it_says(runs, "begun");
  EXPECT_OK(contexts_->restart(id));
  EXPECT_EQ(runs->cause(), Cause::kCancelled);
  EXPECT_EQ(waits->cause(), Cause::kCancelled);
  const auto after = run(id, "while pgrep sleep; do :; done > /dev/null; echo \"[$name] $PWD\"");
  EXPECT_EQ(after->text, "[] /home/user\n");
  EXPECT_EQ(after->notices(), 0);
  EXPECT_EQ(contexts_->list().size(), 1U);
}

TEST_F(SandboxContexts, ARemovedOneTakesItsProcessesAlong) {
  const auto witness = bash();
  const std::string count = "shells=$(pgrep -c bash)";
  run(witness, count + "; before=$shells");
  const auto id = bash();
  const auto runs = execute(id, "setsid sleep 1000 & echo begun; sleep 2000");
  until_it_says(runs, "begun");
  EXPECT_EQ(
      run(witness, "while (( $(pgrep -c sleep) < 2 )); do :; done; " + count + "; echo $((shells > before))")
          ->text,
      "1\n");
  EXPECT_OK(contexts_->remove(id));
  EXPECT_EQ(runs->cause(), Cause::kCancelled);
  const auto gone = run(
      witness, "while pgrep sleep > /dev/null || (( shells > before )); do " + count + "; done; echo gone");
  EXPECT_EQ(gone->text, "gone\n");
  EXPECT_THAT(contexts_->execute(id, {}, runs), FailsWith(Code::kNotFound));
}

TEST_F(SandboxContexts, ALostOneComesBackAndSaysSoOnceHoweverItWasLost) {
  struct Loss {
    std::string code;
    Cause cause;
  };
  const auto id = python();
  const auto other = bash();
  run(other, "kept=yes");
  for (const auto& [code, cause] :
       {Loss{"import os; os._exit(3)", Cause::kContextLost},
        Loss{"import os; os.kill(os.getpid(), 11)", Cause::kCrashed},
        Loss{"x = bytearray(2 << 30)\nx[::4096] = b'1' * len(x[::4096])", Cause::kOutOfMemory}}) {
    run(id, "state = 1");
    const auto lost = execute(id, code);
    const auto next = execute(id, "print('state' in globals())");
    until([&] { return next->is_over(); });
    EXPECT_EQ(lost->cause(), cause) << code << base::name_of(lost->cause());
    EXPECT_EQ(next->cause(), Cause::kOk) << code;
    EXPECT_EQ(next->text, "False\n") << code;
    EXPECT_EQ(next->notices(), 1) << code;
    EXPECT_EQ(run(id, "1")->notices(), 0) << code;
  }
  EXPECT_EQ(run(other, "echo $kept")->text, "yes\n");
}

TEST_F(SandboxContexts, TheTimeoutOfOneLeavesTheOthersAlone) {
  const auto one = python();
  const auto two = node();
  run(two, "let kept = 'here'");
  const auto bystander =
      execute(two,
              "await new Promise(go => globalThis.go = setInterval(() => "
              "require('fs').existsSync('/tmp/go') && go(), 10)); clearInterval(go); kept");
  const auto late =
      execute(one, "late",
              {.code = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
               .timeout = std::chrono::milliseconds(50),
               .grace = std::chrono::milliseconds(50)});
  until([&] { return late->is_over(); });
  EXPECT_EQ(late->cause(), Cause::kTimeout);
  EXPECT_FALSE(bystander->is_over());
  const auto next = run(one, "open('/tmp/go', 'w').close()");
  EXPECT_EQ(next->notices(), 1);
  until([&] { return bystander->is_over(); });
  EXPECT_EQ(bystander->cause(), Cause::kOk);
  EXPECT_THAT(bystander->told, testing::Contains(HasSubstr("here")));
}

TEST_F(SandboxContexts, AFloodInOneStarvesNoOther) {
  const auto flooding = python();
  const auto quiet = bash();
  run(quiet, "count=0");
  const auto flood = execute(
      flooding, "flood", {.code = "while True: print('x' * 1000)", .grace = kLong, .output_cap = 1ULL << 40});
  const auto cancelled = last_;
  until([&] { return flood->written > (4 << 20); });
  for (int i = 1; i <= 20; ++i) {
    const std::size_t before = flood->written;
    EXPECT_EQ(run(quiet, "echo $((++count))")->text, std::to_string(i) + "\n");
    until([&] { return flood->is_over() || flood->written > before; });
  }
  EXPECT_FALSE(flood->is_over());
  EXPECT_OK(contexts_->cancel(cancelled));
  until([&] { return flood->is_over(); });
  EXPECT_EQ(flood->cause(), Cause::kCancelled);
}

TEST_F(SandboxContexts, ManyStartAndRunAtOnce) {
  std::vector<Watched> watchers;
  for (int i = 0; i < 12; ++i) {
    watchers.push_back(execute(bash(), "echo " + std::to_string(i)));
  }
  until([&] { return std::ranges::all_of(watchers, &ExecutionWatcher::is_over); });
  for (std::size_t i = 0; i < watchers.size(); ++i) {
    EXPECT_EQ(watchers[i]->text, std::to_string(i) + "\n");
  }
}

class StayingSandbox : public SandboxContexts {
 protected:
  StayingSandbox() { options_.lifetime = engine::Lifetime::kUntilDestroyed; }
};

// init keeps the end of a process for whoever comes, until it is told that it was heard.
TEST_F(StayingSandbox, ForgetsTheProcessesThatWereLost) {
  const auto id = python();
  for (int i = 0; i < 3; ++i) {
    const auto lost = run(id, "import os; print('x' * 299999, flush=True); os.kill(os.getpid(), 9)");
    EXPECT_EQ(lost->cause(), Cause::kCrashed);
    EXPECT_EQ(lost->written, 300'000U);
  }
  EXPECT_EQ(run(id, "print('back')")->text, "back\n");
  contexts_.reset();
  streams_.reset();
  ASSERT_OK_AND_ASSIGN(const auto left, engine::Processes(*sandbox_).list());
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left.begin()->second.state, wire::init::State::kIdle) << "it goes on without us";
}

TEST_F(SandboxContexts, TheEndOfTheSandboxEndsEverything) {
  const auto id = bash();
  const auto runs = execute(id, "echo begun; sleep 1000");
  const auto waits = execute(id, "echo never");
  until_it_says(runs, "begun");
  EXPECT_OK(sandbox_->destroy(World::current()->spawner().client()));
  until([&] { return waits->is_over(); });
  EXPECT_EQ(runs->cause(), Cause::kSandboxEnded);
  EXPECT_EQ(waits->cause(), Cause::kSandboxEnded);
  EXPECT_THAT(contexts_->execute(id, {}, waits), FailsWith(Code::kUnavailable));
}

}  // namespace

int main(int argc, char** argv) { return support::run_tests_in_world(argc, argv); }
