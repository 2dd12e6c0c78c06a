#include "init/run.h"

#include <unistd.h>

#include <cerrno>

#include "sys/retry.h"

namespace init {

Result<Run> Run::start(std::uint32_t stream, const wire::init::Start& start, Launcher& launcher,
                       const GaugeMarks& before) {
  const auto started = Clock::now();  // before it runs its first instruction
  ASSIGN_OR_RETURN(auto launched, launcher.launch(start));
  Run run(stream, start, std::move(launched), before);
  run.started_ = started;
  run.deadline_ = Deadline(started, std::chrono::milliseconds(start.deadline_ms),
                           std::chrono::milliseconds(start.grace_ms));
  return run;
}

Run::Run(std::uint32_t stream, const wire::init::Start& start, Launched launched, const GaugeMarks& before)
    : stream_(stream), launched_(std::move(launched)), before_(before), meter_(start.output_cap) {}

void Run::add_polls(std::vector<pollfd>& polls, bool room_for_output) const {
  if (room_for_output) {
    if (launched_.output) polls.push_back({launched_.output.get(), POLLIN, 0});
    if (launched_.error) polls.push_back({launched_.error.get(), POLLIN, 0});
  }
  if (launched_.input && !input_.empty()) polls.push_back({launched_.input.get(), POLLOUT, 0});
}

Result<> Run::pump(Channel& channel) {
  if (channel.has_room()) {
    RETURN_IF_ERROR(pump_output(launched_.output, wire::init::Channel::kStdout, channel));
  }
  if (channel.has_room()) {
    RETURN_IF_ERROR(pump_output(launched_.error, wire::init::Channel::kStderr, channel));
  }
  return pump_input(channel);
}

Result<std::size_t> Run::pump_output(sys::UniqueFd& pipe, wire::init::Channel which, Channel& channel) {
  ASSIGN_OR_RETURN(auto written, read_output(pipe, which, meter_));
  if (!written.kept.bytes.empty()) channel.send(stream_, std::move(written.kept));
  return written.size;
}

Result<> Run::drain(sys::UniqueFd& pipe, wire::init::Channel which, Channel& channel) {
  for (std::size_t moved = 0; moved < kLargestPipe;) {
    ASSIGN_OR_RETURN(const std::size_t more, pump_output(pipe, which, channel));
    if (more == 0) break;
    moved += more;
  }
  return {};
}

Result<> Run::pump_input(Channel& channel) {
  while (launched_.input && !input_.empty()) {
    const ssize_t n =
        sys::retry([&] { return ::write(launched_.input.get(), input_.data(), input_.size()); });
    // The pages of a pipe are the sandbox's own memory: when it is short, the input waits.
    if (n < 0 && (errno == EAGAIN || errno == ENOMEM)) return {};
    if (n < 0 && errno != EPIPE) return base::failed_call("write(input of the run)");
    // A process that closed its input does not want the rest.
    const std::size_t taken = n < 0 ? input_.size() : static_cast<std::size_t>(n);
    channel.send(stream_, wire::init::InputTaken{.bytes = static_cast<std::uint32_t>(taken)});
    input_.erase(0, taken);
    if (n < 0) launched_.input.reset();
  }
  if (input_ends_) launched_.input.reset();
  return {};
}

Result<> Run::give_input(std::string_view bytes) {
  if (bytes.empty()) input_ends_ = true;
  if (input_.size() + bytes.size() > wire::init::kInputWindow) {
    return base::fail(base::Code::kInvalid, "more input than the window allows");
  }
  input_ += bytes;
  return {};
}

void Run::deliver_signal(int signal) {
  interrupted_ = true;
  if (signal == SIGKILL) {
    (void)launched_.leaf.kill_all();
  } else {
    (void)launched_.leaf.signal_all(signal, pid());
  }
}

std::optional<Clock::time_point> Run::keep_time() {
  const auto act = deadline_.due(Clock::now());
  if (act == Deadline::Act::kAsk) {
    (void)launched_.leaf.signal_all(SIGTERM, pid());
    (void)launched_.leaf.signal_all(SIGCONT, pid());  // a stopped process cannot act on the TERM
  }
  if (act == Deadline::Act::kKill) (void)launched_.leaf.kill_all();
  return deadline_.next();
}

void Run::on_out_of_memory() {
  // The kernel takes one victim; a run that lost a part of itself is over as a whole.
  (void)launched_.leaf.kill_all();
}

Result<bool> Run::lost_memory(const Gauges& gauges) const {
  if (had_company_) return false;
  return gauges.out_of_memory(before_);
}

Result<Facts> Run::facts_of(const sys::ExitStatus& status, const Gauges& gauges) const {
  Facts facts{.status = status,
              .timed_out = deadline_.passed(),
              .interrupted = interrupted_,
              .had_company = had_company_,
              .output_cut = meter_.was_cut()};
  // No cause at all is better than a wrong one.
  ASSIGN_OR_RETURN(facts.out_of_memory, gauges.out_of_memory(before_));
  ASSIGN_OR_RETURN(facts.pids_exhausted, gauges.pids_exhausted(before_));
  ASSIGN_OR_RETURN(facts.disk_full, disk_is_full());
  return facts;
}

Result<wire::init::Ended> Run::finish(const sys::ExitStatus& status, const Gauges& gauges, Channel& channel) {
  // The started process may have obeyed the TERM while others of the run ignore it.
  if (deadline_.passed()) (void)launched_.leaf.kill_all();
  // What the process wrote before its end is in the pipes; what its orphans write later is not part of the
  // run.
  RETURN_IF_ERROR(drain(launched_.output, wire::init::Channel::kStdout, channel));
  RETURN_IF_ERROR(drain(launched_.error, wire::init::Channel::kStderr, channel));
  ASSIGN_OR_RETURN(const Facts facts, facts_of(status, gauges));
  wire::init::Usage usage;
  usage.wall_us = microseconds_since(started_);
  usage.cpu_us = launched_.leaf.cpu_microseconds().value_or(status.user_us + status.system_us);
  ASSIGN_OR_RETURN(usage.peak_memory_bytes, gauges.memory_peak());
  meter_.tell(usage);
  (void)launched_.leaf.remove();
  return wire::init::Ended{.cause = cause_of(facts),
                           .exit_code = static_cast<std::uint32_t>(status.code),
                           .signal = static_cast<std::uint32_t>(status.signal),
                           .limits_hit = limits_hit(facts),
                           .usage = usage};
}

}  // namespace init
