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
#include "init/output_pipe.h"

namespace init {

// A context: a process that keeps state and gets executions one after another. What its runtime says is
// passed on and not believed: it may be the user's code that speaks. Owned by the supervisor.
class Context {
 public:
  static Result<Context> start(std::uint32_t stream, const wire::init::StartContext& start,
                               Launcher& launcher);

  pid_t pid() const { return launched_.process.pid; }

  void add_polls(std::vector<pollfd>& polls, bool room_for_output) const;
  // Begins an execution; kConflict while another runs.
  Result<> execute(const wire::init::Execute& execute, const GaugeMarks& before);
  // Moves bytes: what was written and said to the engine while it has room, the execution to the runtime.
  Result<> pump(Channel& channel, const Gauges& gauges);
  void deliver_signal(int signal);
  // Acts on what is due; says when to be called next.
  std::optional<Clock::time_point> keep_time();
  void note_company() { had_company_ = true; }

  // After the process has ended: the rest of its output, the end of the execution that it took along, and
  // what to say of the context.
  Result<wire::init::Ended> finish(const sys::ExitStatus& status, const Gauges& gauges, Channel& channel);

 private:
  struct Execution {
    std::uint32_t number = 0;
    Clock::time_point started;
    Deadline deadline;
    GaugeMarks before;
    std::uint64_t cpu_before = 0;
    bool interrupted = false;
  };

  Context(std::uint32_t stream, Launched launched);
  Result<> write_pending();
  Result<std::size_t> pump_output(sys::UniqueFd& pipe, wire::init::Channel which, Channel& channel);
  // Everything that was written before now.
  Result<> drain(Channel& channel);
  Result<> listen(Channel& channel, const Gauges& gauges);
  Result<> pass_on(wire::runtime::Piece piece, Channel& channel, const Gauges& gauges);
  Result<> end_execution(const sys::ExitStatus& status, base::Cause otherwise, Channel& channel,
                         const Gauges& gauges);

  std::uint32_t stream_;
  Launched launched_;
  Clock::time_point started_;
  wire::runtime::PieceReader runtime_;
  std::string pending_;  // for the runtime
  std::optional<Execution> execution_;
  std::uint32_t last_ = 0;  // the execution that what is written now belongs to
  OutputMeter meter_;
  bool had_company_ = false;
  bool is_lost_ = false;  // its runtime is not to be listened to any more
};

}  // namespace init
