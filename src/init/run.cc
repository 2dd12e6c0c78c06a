#include "init/run.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "sys/retry.h"
#include "sys/terminal.h"

namespace init {

namespace {
constexpr char kEndOfInput = 4;  // Ctrl-D: a terminal stays open, and says by this that no more comes
}  // namespace

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
    : stream_(stream),
      record_(Record::of(start.argv)),
      launched_(std::move(launched)),
      before_(before),
      output_(std::move(launched_.output), std::move(launched_.error)),
      outbox_(stream),
      has_terminal_(start.terminal.has_value()) {
  output_.set_cap(start.output_cap);
}

wire::init::Found Run::describe() const {
  return {.kind = wire::init::Kind::kRun,
          .state = end_ ? wire::init::State::kEnded : wire::init::State::kBusy,
          .pid = static_cast<std::uint32_t>(pid()),
          .started_us = record_.started_us,
          .argv = record_.argv,
          .acknowledged = outbox_.acknowledged(),
          .last = outbox_.last(),
          .stdout_bytes = output_.meter().stdout_bytes(),
          .stderr_bytes = output_.meter().stderr_bytes(),
          .input_received = input_received_,
          .input_taken = input_received_ - std::min<std::uint64_t>(input_received_, input_.size())};
}

void Run::add_polls(std::vector<pollfd>& polls) const {
  if (end_) return;
  if (outbox_.has_room()) output_.add_polls(polls);
  if (launched_.input && !input_.empty()) polls.push_back({launched_.input.get(), POLLOUT, 0});
}

Result<> Run::pump(Channel& channel) {
  if (end_) return conclude();
  RETURN_IF_ERROR(output_.read_some(outbox_));
  return pump_input(channel);
}

Result<> Run::pump_input(Channel& channel) {
  while (launched_.input && !input_.empty()) {
    const ssize_t n =
        sys::retry([&] { return ::write(launched_.input.get(), input_.data(), input_.size()); });
    // The pages of a pipe are the sandbox's own memory: when it is short, the input waits.
    if (n < 0 && (errno == EAGAIN || errno == ENOMEM)) return {};
    if (n < 0 && errno != EPIPE && errno != EIO) return base::failed_call("write(input of the run)");
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
  if (bytes.empty() && has_terminal_) {
    input_ += kEndOfInput;
    return {};
  }
  if (bytes.empty()) input_ends_ = true;
  if (input_.size() + bytes.size() > wire::init::kInputWindow) {
    return base::fail(base::Code::kInvalid, "more input than the window allows");
  }
  input_ += bytes;
  input_received_ += bytes.size();
  return {};
}

void Run::resize(const wire::init::Window& window) {
  if (has_terminal_ && launched_.input) {
    (void)sys::set_window(launched_.input.get(), window.rows, window.columns);
  }
}

void Run::deliver_signal(int signal) {
  if (end_) return;
  interrupted_ = true;
  if (signal == SIGKILL) {
    (void)launched_.leaf.kill_all();
  } else {
    (void)launched_.leaf.signal_all(signal, pid());
  }
}

std::optional<Clock::time_point> Run::keep_time() {
  if (end_) return std::nullopt;
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
  if (had_company_ || end_) return false;
  return gauges.out_of_memory(before_);
}

Result<> Run::finish(const sys::ExitStatus& status, const Gauges& gauges) {
  // The started process may have obeyed the TERM while others of the run ignore it.
  if (deadline_.passed()) (void)launched_.leaf.kill_all();
  // What the process wrote before its end is in the pipes; what its orphans write later is not part of the
  // run.
  output_.begin_drain();
  End end{.facts = {.status = status,
                    .timed_out = deadline_.passed(),
                    .interrupted = interrupted_,
                    .had_company = had_company_}};
  RETURN_IF_ERROR(note_limits(gauges, before_, end.facts));
  end.usage.wall_us = microseconds_since(started_);
  end.usage.cpu_us = launched_.leaf.cpu_microseconds().value_or(status.user_us + status.system_us);
  ASSIGN_OR_RETURN(end.usage.peak_memory_bytes, gauges.memory_peak());
  (void)launched_.leaf.remove();
  launched_.input.reset();
  end_ = end;
  return conclude();
}

// The end is told after the output, and that may have to wait for the engine.
Result<> Run::conclude() {
  if (is_over_) return {};
  ASSIGN_OR_RETURN(const bool drained, output_.drain(outbox_));
  if (!drained) return {};
  output_.close();
  end_->facts.output_cut = output_.meter().was_cut();
  output_.meter().tell(end_->usage);
  outbox_.add(wire::init::Ended{.cause = cause_of(end_->facts),
                                .exit_code = static_cast<std::uint32_t>(end_->facts.status.code),
                                .signal = static_cast<std::uint32_t>(end_->facts.status.signal),
                                .limits_hit = limits_hit(end_->facts),
                                .usage = end_->usage});
  is_over_ = true;
  return {};
}

}  // namespace init
