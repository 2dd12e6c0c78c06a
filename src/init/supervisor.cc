#include "init/supervisor.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "init/put_file.h"
#include "sys/retry.h"
#include "sys/signals.h"

namespace init {

Supervisor::Supervisor(Wiring wiring, LaunchPolicy policy)
    : wiring_(wiring),
      launcher_(wiring.cgroup, std::move(policy)),
      gauges_(wiring.gauges),
      files_(wiring.cgroup, launcher_.policy()) {}

Result<> Supervisor::run() {
  auto done = serve();
  if (done) return done;
  if (!channel_) {
    refuse(wiring_.listener, done.error());
    return done;
  }
  fail(wire::init::kConnection, base::with_context("init", done.error()));
  (void)channel_->flush();
  return done;
}

Result<> Supervisor::serve() {
  // SIGPIPE is blocked with it: a process that closed its input is an error of a write, not a signal.
  ASSIGN_OR_RETURN(children_, sys::watch_signals({SIGCHLD, SIGPIPE}));
  RETURN_IF_ERROR(await_hand_out());
  ASSIGN_OR_RETURN(channel_, Channel::await(wiring_.listener, Channel::kFirstContact));
  channel_->send(wire::init::kConnection, wire::init::Hello{});
  while (true) {
    ASSIGN_OR_RETURN(const bool go_on, turn());
    if (!go_on) return {};
  }
}

// The spawner's end hangs the leash up as well: then there is nobody left to hand this sandbox out.
Result<> Supervisor::await_hand_out() {
  if (wiring_.leash < 0) return {};
  RETURN_IF_ERROR(launcher_.prepare_first());
  const sys::UniqueFd leash(wiring_.leash);
  std::array<pollfd, 2> either{pollfd{wiring_.listener, POLLIN, 0}, pollfd{leash.get(), POLLIN, 0}};
  if (sys::retry([&] { return ::poll(either.data(), either.size(), -1); }) < 0) {
    return base::failed_call("poll(leash)");
  }
  return {};
}

// One round of the loop. False when the engine has gone.
Result<bool> Supervisor::turn() {
  std::vector<pollfd> polls{{channel_->fd(), channel_->wanted_events(), 0},
                            {children_.get(), POLLIN, 0},
                            {gauges_.notify_fd(), gauges_.notify_events(), 0}};
  for (const auto& [stream, run] : runs_) run.add_polls(polls, channel_->has_room());
  for (const auto& [stream, context] : contexts_) context.add_polls(polls, channel_->has_room());
  files_.add_polls(polls, channel_->has_room());
  const int timeout = poll_timeout();
  if (::poll(polls.data(), polls.size(), timeout) < 0 && errno != EINTR) return base::failed_call("poll");
  if ((polls[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
    ASSIGN_OR_RETURN(const bool connected, channel_->fill());
    if (!connected) return false;
    RETURN_IF_ERROR(serve_requests());
  }
  if (polls[2].revents != 0) {
    gauges_.acknowledge();
    look_at_memory_until_ = Clock::now() + kMemoryNews;
  }
  look_at_memory();
  for (auto& [stream, run] : runs_) RETURN_IF_ERROR(run.pump(*channel_));
  for (auto& [stream, context] : contexts_) RETURN_IF_ERROR(context.pump(*channel_, gauges_));
  files_.pump(*channel_);
  if (polls[1].revents != 0) RETURN_IF_ERROR(reap());
  RETURN_IF_ERROR(channel_->flush());
  return true;
}

void Supervisor::look_at_memory() {
  if (!look_at_memory_until_) return;
  bool killed = false;
  for (auto& [stream, run] : runs_) {
    if (!run.lost_memory(gauges_).value_or(false)) continue;
    killed = true;
    run.on_out_of_memory();
  }
  if (killed || Clock::now() >= *look_at_memory_until_) look_at_memory_until_.reset();
}

int Supervisor::poll_timeout() {
  std::optional<Clock::time_point> next;
  for (auto& [stream, run] : runs_) {
    const auto due = run.keep_time();
    if (due) next = next ? std::min(*next, *due) : *due;
  }
  for (auto& [stream, context] : contexts_) {
    const auto due = context.keep_time();
    if (due) next = next ? std::min(*next, *due) : *due;
  }
  if (look_at_memory_until_ && !runs_.empty()) {
    const auto soon = Clock::now() + std::chrono::milliseconds(10);
    next = next ? std::min(*next, soon) : soon;
  }
  if (!next) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

Result<> Supervisor::serve_requests() {
  while (true) {
    ASSIGN_OR_RETURN(auto message, channel_->next());
    if (!message) return {};
    if (message->file) {
      files_.take(*message->file, *channel_);
      continue;
    }
    RETURN_IF_ERROR(handle(message->stream, message->request));
  }
}

Result<> Supervisor::handle(std::uint32_t stream, const wire::init::Request& request) {
  return std::visit([&](const auto& one) { return handle_one(stream, one); }, request);
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::Start& start) {
  if (auto begun = this->start(stream, start); !begun) fail(stream, begun.error());
  return {};
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::StartContext& start) {
  if (auto begun = this->start(stream, start); !begun) fail(stream, begun.error());
  return {};
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::Execute& execute) {
  if (auto begun = this->execute(stream, execute); !begun) fail(stream, begun.error());
  return {};
}

Result<> Supervisor::make_place(std::uint32_t stream) {
  if (runs_.contains(stream) || contexts_.contains(stream)) {
    return base::fail(base::Code::kConflict, "stream " + std::to_string(stream) + " has a process already");
  }
  if (runs_.size() + contexts_.size() >= kMostProcesses) {
    return base::fail(base::Code::kExhausted,
                      std::to_string(kMostProcesses) + " processes run already; end one first");
  }
  // While others run, the peak is that of all.
  return runs_.empty() && contexts_.empty() ? gauges_.reset_peak() : Result<>();
}

void Supervisor::note_company() {
  if (runs_.size() + contexts_.size() == 1) return;
  for (auto& [stream, run] : runs_) run.note_company();
  for (auto& [stream, context] : contexts_) context.note_company();
}

Result<> Supervisor::start(std::uint32_t stream, const wire::init::Start& start) {
  RETURN_IF_ERROR(make_place(stream));
  ASSIGN_OR_RETURN(const auto before, gauges_.marks());
  ASSIGN_OR_RETURN(auto run, Run::start(stream, start, launcher_, before));
  channel_->send(stream, wire::init::Started{.pid = static_cast<std::uint32_t>(run.pid())});
  runs_.emplace(stream, std::move(run));
  note_company();
  return {};
}

Result<> Supervisor::start(std::uint32_t stream, const wire::init::StartContext& start) {
  RETURN_IF_ERROR(make_place(stream));
  ASSIGN_OR_RETURN(auto context, Context::start(stream, start, launcher_));
  channel_->send(stream, wire::init::Started{.pid = static_cast<std::uint32_t>(context.pid())});
  contexts_.emplace(stream, std::move(context));
  note_company();
  return {};
}

Result<> Supervisor::execute(std::uint32_t stream, const wire::init::Execute& execute) {
  const auto context = contexts_.find(stream);
  if (context == contexts_.end()) {
    return base::fail(base::Code::kNotFound, "no context on stream " + std::to_string(stream));
  }
  // Alone, an execution has a peak of its own.
  if (runs_.empty() && contexts_.size() == 1) RETURN_IF_ERROR(gauges_.reset_peak());
  ASSIGN_OR_RETURN(const auto before, gauges_.marks());
  return context->second.execute(execute, before);
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::Input& input) {
  // Input for a process that has ended meanwhile goes nowhere.
  const auto run = runs_.find(stream);
  return run == runs_.end() ? Result<>() : run->second.give_input(input.bytes);
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::Signal& signal) {
  const auto run = runs_.find(stream);
  if (run != runs_.end()) run->second.deliver_signal(static_cast<int>(signal.number));
  const auto context = contexts_.find(stream);
  if (context != contexts_.end()) context->second.deliver_signal(static_cast<int>(signal.number));
  return {};
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::PutFile& file) {
  if (auto done = put_file(file, launcher_.policy()); !done) {
    fail(stream, done.error());
  } else {
    channel_->send(stream, wire::init::Done{});
  }
  return {};
}

void Supervisor::fail(std::uint32_t stream, const base::Error& error) {
  channel_->send(stream, failed_of(error));
}

Result<> Supervisor::reap() {
  while (sys::next_signal(children_.get()) != 0) {
  }
  files_.look_after();
  while (true) {
    ASSIGN_OR_RETURN(const auto reaped, sys::wait_any());
    if (!reaped) return {};
    ASSIGN_OR_RETURN(const bool was_run, finish_run(*reaped));
    if (!was_run) RETURN_IF_ERROR(finish_context(*reaped));
    files_.finish(*reaped, *channel_);
  }
}

Result<bool> Supervisor::finish_run(const sys::Reaped& reaped) {
  const auto run = std::ranges::find(runs_, reaped.pid, [](const auto& one) { return one.second.pid(); });
  if (run == runs_.end()) return false;
  ASSIGN_OR_RETURN(const auto ended, run->second.finish(reaped.status, gauges_, *channel_));
  channel_->send(run->first, ended);
  runs_.erase(run);
  return true;
}

Result<bool> Supervisor::finish_context(const sys::Reaped& reaped) {
  const auto context =
      std::ranges::find(contexts_, reaped.pid, [](const auto& one) { return one.second.pid(); });
  if (context == contexts_.end()) return false;
  ASSIGN_OR_RETURN(const auto ended, context->second.finish(reaped.status, gauges_, *channel_));
  channel_->send(context->first, ended);
  contexts_.erase(context);
  return true;
}

}  // namespace init
