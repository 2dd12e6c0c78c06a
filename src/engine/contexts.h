#pragma once

#include "engine/served_context.h"

namespace engine {

// The contexts of a sandbox, as many callers use them at once. Executions of one context run in the order in
// which they were asked for; contexts run beside each other. Has no thread and never blocks: the caller calls
// pump() at first and whenever streams().fd() is ready for streams().wanted_events() or deadline() has come,
// and observers are told what there is. Used by one thread; the Streams outlive it.
//
// A context that is lost (by a crash, a limit, a timeout, its own exit) keeps its id and what waits for it.
// The next execution starts it again and is told, once, that the state is gone.
class Contexts {
 public:
  using Clock = ServedContext::Clock;

  // Without a midwife every context starts cold.
  explicit Contexts(Streams& streams, const ContextLimits& limits = {}, Midwife midwife = {})
      : streams_(streams), limits_(limits), midwife_(std::move(midwife)) {}
  // Those that there are go on, unheard, as long as their sandbox does.
  ~Contexts();
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;

  Streams& streams() { return streams_; }

  // It becomes ready later. One that cannot be started ends what waits for it with the reason, and the next
  // execution tries again. `name` is for the list.
  Result<ContextId> create(std::string name, ContextOptions options);
  // In the order of their creation.
  std::vector<ContextInfo> list() const;
  Result<ContextInfo> find(const ContextId& id) const;
  // Queues it. kExhausted: too many wait already.
  Result<ExecutionId> execute(const ContextId& id, const Cell& cell,
                              std::shared_ptr<ExecutionObserver> observer,
                              ExecutionId execution = ExecutionId::random());
  // One that waits is taken out of the queue. One that runs is interrupted, and takes its context along when
  // its grace passes without an end. Both end as cancelled, unless the end came first.
  Result<> cancel(const ExecutionId& execution);
  // What runs, if anything does. It ends as interrupted, or goes on as if nothing had been.
  Result<> interrupt(const ContextId& id);
  // A new process under the same id. What runs and what waits ends as cancelled, because it counts on a state
  // that is gone; what comes next is told nothing, because somebody wanted it so.
  Result<> restart(const ContextId& id);
  // Its processes are killed; what runs and what waits ends as cancelled. The id is unknown from now on.
  Result<> remove(const ContextId& id);

  // When to call pump() even if nothing comes.
  std::optional<Clock::time_point> deadline() const;
  // An error: the sandbox has ended, and everything in it as sandbox_ended.
  Result<> pump(Clock::time_point now = Clock::now());
  // Waits and pumps until `is_done`, for callers that have nothing else to wait for.
  Result<> run_until(const std::function<bool()>& is_done);

 private:
  Result<std::shared_ptr<ServedContext>> served(const ContextId& id) const;
  Result<> check_end() const;
  Result<> wait() const;

  Streams& streams_;
  const ContextLimits limits_;
  const Midwife midwife_;
  std::vector<std::shared_ptr<ServedContext>> contexts_;
};

}  // namespace engine
