// Contexts played through: init's side of the story by a script, the engine's by a stage.
#pragma once

#include <signal.h>

#include "engine/contexts.h"
#include "tests/support/engine_peers.h"
#include "tests/support/execution_watcher.h"
#include "tests/support/runtime_words.h"

namespace engine::test {

using base::Cause;
using testing::ElementsAre;
using wire::init::Ended;
using wire::init::Execute;
using wire::init::Executed;
using wire::init::Signal;
using wire::init::Started;
using wire::runtime::Verb;

inline const ContextOptions kOptions{.argv = {"python3", "runtime"}};
inline constexpr auto kLater = std::chrono::hours(1);

// init's side of the story.

inline std::uint32_t hear_start(InitEnd& init) {
  const auto start = std::get<wire::init::StartContext>(init.hear().value());
  EXPECT_THAT(start.argv, ElementsAre("python3", "runtime"));
  return init.stream;
}

inline void be_ready(InitEnd& init, std::uint32_t stream) {
  init.say(stream, Started{.pid = 2});
  init.say(stream, said(Verb::kReady, 0, "{}"));
}

inline std::uint32_t become_ready(InitEnd& init) {
  const auto stream = hear_start(init);
  be_ready(init, stream);
  return stream;
}

inline std::string hear_code(InitEnd& init) { return std::get<Execute>(init.hear().value()).payload; }

inline int hear_signal(InitEnd& init) {
  return static_cast<int>(std::get<Signal>(init.hear().value()).number);
}

inline void finish(InitEnd& init, std::uint32_t stream, std::uint32_t number) {
  init.say(stream, done(number));
  init.say(stream, Executed{.execution = number});
}

inline void crash(InitEnd& init, std::uint32_t stream, std::uint32_t number) {
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

}  // namespace engine::test
