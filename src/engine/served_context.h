#pragma once

#include <chrono>
#include <functional>

#include "engine/context.h"
#include "engine/job_queue.h"
#include "engine/streams.h"

namespace engine {

struct ContextLimits {
  std::size_t contexts = 64;                    // of a sandbox
  JobQueue::Limits waiting;                     // in one context, beside what runs
  std::chrono::milliseconds start{60'000};      // until the runtime is ready
  std::chrono::milliseconds slack{10'000};      // after timeout and grace, when init has not done its part
  std::chrono::milliseconds last_words{5'000};  // what one that was killed may take to be gone
};

enum class ContextState { kStarting, kIdle, kBusy, kLost };

struct ContextInfo {
  ContextId id;
  std::string name;  // as its creator calls it: a language
  std::string cwd;
  ContextState state = ContextState::kStarting;
  std::size_t waiting = 0;
  std::uint64_t executions = 0;  // begun so far
  std::chrono::system_clock::time_point created;
};

// Asks the spawner to let a newcomer of the zygote into the sandbox, as the context of this stream, and tells
// later how that went. Whoever is asked must not block.
using Midwife = std::function<void(std::uint32_t stream, wire::spawner::Unready unready,
                                   std::function<void(Result<>)> told)>;

// What init is asked for to start one.
wire::init::StartContext start_request(const ContextOptions& options);

// One of many contexts: its process, what runs in it, and what waits for it. A process that was lost is
// started again for the next execution. Owned by Contexts.
class ServedContext : public StreamListener, public std::enable_shared_from_this<ServedContext> {
 public:
  using Clock = std::chrono::steady_clock;
  struct Identity {
    ContextId id = ContextId::random();
    std::string name;
    std::chrono::system_clock::time_point created = std::chrono::system_clock::now();
  };

  struct Surroundings {
    Streams& streams;
    const ContextLimits& limits;
    const Midwife& midwife;
  };

  ServedContext(const Surroundings& around, Identity identity, ContextOptions options)
      : streams_(around.streams),
        limits_(around.limits),
        midwife_(around.midwife),
        identity_(std::move(identity)),
        options_(std::move(options)),
        waiting_(around.limits.waiting) {}

  const ContextId& id() const { return identity_.id; }
  ContextInfo describe() const;

  Result<ExecutionId> add(Job job);
  // False: there is no such execution here.
  bool cancel(const ExecutionId& execution);
  void interrupt();
  void restart();
  // Nothing of it is left.
  void remove();
  // The process stays, and nobody listens.
  void leave();
  // The sandbox has ended.
  void lose(const base::Error& why);

  // Does what can be done now: starts the process, begins the next execution.
  void advance();
  std::optional<Clock::time_point> deadline() const;
  void keep_time(Clock::time_point now);

  void hear(const wire::init::Event& event) override;

 private:
  enum class Act { kKill, kGiveUp };
  struct Timer {
    Clock::time_point when;
    Act act = Act::kGiveUp;
  };
  struct Running {
    Job job;
    Execution heard;
    bool had_state = false;  // the context, before it
    bool is_cancelled = false;
    bool is_overdue = false;
    bool is_watched = true;
    std::optional<Outcome> outcome;  // of one that takes the context along
  };

  // Where the process that is not ready yet comes from.
  enum class Origin { kCold, kExpected, kEntering };

  static Outcome judged(const Running& running, Outcome outcome);
  void start();
  void start_cold();
  void be_born();
  void hear_midwife(std::uint32_t stream, const Result<>& entered);
  void begin(Job job);
  void tell_begin(const Running& running);
  void signal(int number);
  void hear_start(const wire::init::Event& event);
  void hear_early_end();
  void hear_running(const wire::init::Event& event);
  void hear_executed(const wire::init::Executed& executed);
  void hear_end();
  void fail_start(base::Error why);
  void cancel_running();
  // What an observer answered.
  void heed(const Running& running, const Result<>& answer);
  // No process any more; whether there was state to lose.
  void drop_process(bool had_state);
  void kill_process();
  void finish(Outcome outcome, std::optional<base::Error> error = std::nullopt);
  std::vector<Job> take_all();
  static void end_all(const std::vector<Job>& jobs, const Ending& ending);
  void set_timer(std::chrono::milliseconds after, Act act) { timer_ = {Clock::now() + after, act}; }

  Streams& streams_;
  const ContextLimits limits_;
  const Midwife midwife_;
  const Identity identity_;
  const ContextOptions options_;
  std::optional<std::uint32_t> stream_;  // of the process that there is
  Origin origin_ = Origin::kCold;
  bool is_ready_ = false;
  bool wants_process_ = true;  // even if nothing waits for it
  bool has_state_ = false;
  bool owes_notice_ = false;  // state was lost, and nobody has been told
  std::string start_errors_;  // what it wrote instead of becoming ready
  std::uint32_t number_ = 0;  // of the last execution on this stream
  std::uint64_t executions_ = 0;
  std::shared_ptr<Running> running_;
  JobQueue waiting_;
  std::optional<Timer> timer_;
};

}  // namespace engine
