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
#include "init/output_pipes.h"
#include "init/record.h"

namespace init {

// One running process: its pipes, its deadline, its leaf, and what it has cost. Owned by the supervisor.
class Run {
 public:
  // `before` is what the sandbox's counters said before.
  static Result<Run> start(std::uint32_t stream, const wire::init::Start& start, Launcher& launcher,
                           const GaugeMarks& before);

  std::uint32_t stream() const { return stream_; }
  pid_t pid() const { return launched_.process.pid; }

  Outbox& outbox() { return outbox_; }
  const Outbox& outbox() const { return outbox_; }
  // Its process has ended, and its pid may be another's.
  bool has_ended() const { return end_.has_value(); }
  // Everything there will ever be to tell is in the outbox.
  bool is_over() const { return is_over_; }

  wire::init::Found describe() const;

  void add_polls(std::vector<pollfd>& polls) const;
  // Moves bytes: output to the outbox while it has room, input to the process.
  Result<> pump(Channel& channel);
  // More input than the window allows is the engine breaking the protocol.
  Result<> give_input(std::string_view bytes);
  void deliver_signal(int signal);
  void resize(const wire::init::Window& window);
  // Acts on what is due; says when to be called next.
  std::optional<Clock::time_point> keep_time();
  // Another run is there at the same time: what the sandbox's counters say may be the other's doing.
  void note_company() { had_company_ = true; }
  // Whether memory ran out in this run, for all that is known: it was alone.
  Result<bool> lost_memory(const Gauges& gauges) const;
  void on_out_of_memory();

  // After the process has ended. What it wrote before is told before its end is.
  Result<> finish(const sys::ExitStatus& status, const Gauges& gauges);

 private:
  Run(std::uint32_t stream, const wire::init::Start& start, Launched launched, const GaugeMarks& before);
  Result<> pump_input(Channel& channel);
  Result<> conclude();

  struct End {
    Facts facts;
    wire::init::Usage usage;
  };

  std::uint32_t stream_;
  Record record_;
  Launched launched_;
  GaugeMarks before_;
  Clock::time_point started_;
  Deadline deadline_;
  OutputPipes output_;
  Outbox outbox_;
  std::optional<End> end_;
  bool is_over_ = false;
  std::string input_;
  std::uint64_t input_received_ = 0;
  bool input_ends_ = false;
  bool has_terminal_ = false;
  bool interrupted_ = false;
  bool had_company_ = false;
};

}  // namespace init
