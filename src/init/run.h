#pragma once

#include <poll.h>

#include <chrono>
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

// One running process: its pipes, its deadline, its leaf, and what it has cost. Owned by the supervisor.
class Run {
 public:
  // `before` is what the sandbox's counters said before.
  static Result<Run> start(std::uint32_t stream, const wire::init::Start& start, Launcher& launcher,
                           const GaugeMarks& before);

  std::uint32_t stream() const { return stream_; }
  pid_t pid() const { return launched_.process.pid; }

  void add_polls(std::vector<pollfd>& polls, bool room_for_output) const;
  // Moves bytes: output to the engine while it has room, input to the process.
  Result<> pump(Channel& channel);
  // More input than the window allows is the engine breaking the protocol.
  Result<> give_input(std::string_view bytes);
  void deliver_signal(int signal);
  // Acts on what is due; says when to be called next.
  std::optional<Clock::time_point> keep_time();
  // Another run is there at the same time: what the sandbox's counters say may be the other's doing.
  void note_company() { had_company_ = true; }
  // Whether memory ran out in this run, for all that is known: it was alone.
  Result<bool> lost_memory(const Gauges& gauges) const;
  void on_out_of_memory();

  // After the process has ended: the rest of its output and what to say of it.
  Result<wire::init::Ended> finish(const sys::ExitStatus& status, const Gauges& gauges, Channel& channel);

 private:
  Run(std::uint32_t stream, const wire::init::Start& start, Launched launched, const GaugeMarks& before);
  Result<Facts> facts_of(const sys::ExitStatus& status, const Gauges& gauges) const;
  // How much was moved; 0 when there is nothing now.
  Result<std::size_t> pump_output(sys::UniqueFd& pipe, wire::init::Channel which, Channel& channel);
  Result<> drain(sys::UniqueFd& pipe, wire::init::Channel which, Channel& channel);
  Result<> pump_input(Channel& channel);

  std::uint32_t stream_;
  Launched launched_;
  GaugeMarks before_;
  Clock::time_point started_;
  Deadline deadline_;
  OutputMeter meter_;
  std::string input_;
  bool input_ends_ = false;
  bool interrupted_ = false;
  bool had_company_ = false;
};

}  // namespace init
