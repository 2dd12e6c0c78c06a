#pragma once

#include <poll.h>

#include <optional>
#include <vector>

#include "init/channel.h"
#include "init/deadline.h"
#include "init/gauges.h"
#include "init/launch.h"
#include "init/leaf.h"
#include "init/outcome.h"
#include "init/output_pipes.h"
#include "init/record.h"

namespace init {

// A context: a process that keeps state and gets executions one after another. What its runtime says is
// passed on and not believed: it may be the user's code that speaks. Owned by the supervisor.
class Context {
 public:
  static Result<Context> start(std::uint32_t stream, const wire::init::StartContext& start,
                               Launcher& launcher);

  // One that has come from a zygote.
  static Context of(std::uint32_t stream, Launched launched) {
    return {stream, Record::of({"python3"}), std::move(launched)};
  }

  pid_t pid() const { return launched_.process.pid; }

  Outbox& outbox() { return outbox_; }
  const Outbox& outbox() const { return outbox_; }
  // Its process has ended, and its pid may be another's.
  bool has_ended() const { return exit_.has_value(); }
  // Everything there will ever be to tell is in the outbox.
  bool is_over() const { return is_over_; }

  wire::init::Found describe() const;

  void add_polls(std::vector<pollfd>& polls) const;
  // Begins an execution; kConflict while another runs.
  Result<> execute(const wire::init::Execute& execute, const GaugeMarks& before);
  // Moves bytes: what was written and said to the outbox while it has room, the execution to the runtime.
  Result<> pump(const Gauges& gauges);
  void deliver_signal(int signal);
  // Acts on what is due; says when to be called next.
  std::optional<Clock::time_point> keep_time();
  void note_company() { had_company_ = true; }

  // After the process has ended: what it wrote and said before is told, then the end of the execution that it
  // took along, then its own.
  Result<> finish(const sys::ExitStatus& status, const Gauges& gauges);

 private:
  struct Execution {
    std::uint32_t number = 0;
    Clock::time_point started;
    Deadline deadline;
    GaugeMarks before;
    std::uint64_t cpu_before = 0;
    bool interrupted = false;
  };

  Context(std::uint32_t stream, Record record, Launched launched);
  Result<> write_pending();
  Result<> listen(const Gauges& gauges);
  // What has come from the runtime now; 0 for nothing, none when there is nothing more to be had from it.
  std::optional<std::size_t> receive();
  // False: what was said waits, because the outbox is full.
  Result<bool> hear(const Gauges& gauges);
  Result<> pass_on(wire::runtime::Piece piece, const Gauges& gauges);
  Result<> lose();
  Result<> conclude(const Gauges& gauges);
  Result<bool> hear_last_words(const Gauges& gauges);
  Result<> end_execution(const sys::ExitStatus& status, base::Cause otherwise, const Gauges& gauges);

  Record record_;
  Launched launched_;
  Clock::time_point started_;
  wire::runtime::PieceReader runtime_;
  std::string pending_;  // for the runtime
  std::optional<Execution> execution_;
  std::uint32_t last_ = 0;  // the execution that what is written now belongs to
  OutputPipes output_;
  Outbox outbox_;
  std::optional<wire::runtime::Piece> held_;  // waits until what was written before it is in the outbox
  std::optional<sys::ExitStatus> exit_;
  Clock::time_point exited_;
  std::size_t left_to_hear_ = 0;  // after the exit
  bool is_over_ = false;
  bool had_company_ = false;
  bool is_lost_ = false;  // its runtime is not to be listened to any more
};

}  // namespace init
