#include "init/supervisor.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

#include "init/put_file.h"
#include "sys/retry.h"
#include "sys/signals.h"
#include "sys/socket.h"

namespace init {

namespace {

// The one that runs with this pid: those that ended have none any more.
auto find_pid(auto& all, pid_t pid) {
  return std::ranges::find_if(
      all, [&](const auto& one) { return one.second.pid() == pid && !one.second.has_ended(); });
}

std::size_t count_live(const auto& all) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [](const auto& one) { return !one.second.has_ended(); }));
}

// For poll: -1 waits for ever.
int milliseconds_to(std::optional<Clock::time_point> due) {
  if (!due) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace

Supervisor::Supervisor(Wiring wiring, LaunchPolicy policy)
    : wiring_(wiring),
      launcher_(wiring.cgroup, std::move(policy)),
      gauges_(wiring.gauges),
      reception_(wiring.listener, wiring.process_filter),
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
  if (wiring_.leash >= 0) RETURN_IF_ERROR(launcher_.prepare_first());
  ASSIGN_OR_RETURN(channel_, await_engine());
  greet();
  while (true) {
    ASSIGN_OR_RETURN(const bool go_on, turn());
    if (!go_on) return {};
  }
}

// As long as the leash is held, for ever: nobody has been given this sandbox yet. The spawner's end hangs it
// up as well; then there is nobody left to hand it out. A context may come before an engine does.
Result<Channel> Supervisor::await_engine() {
  sys::UniqueFd leash(wiring_.leash);
  auto deadline = Clock::now() + Channel::kFirstContact;
  while (true) {
    auto due = reception_.keep_time();
    std::vector<pollfd> polls{{leash.get(), POLLIN, 0}};
    reception_.add_polls(polls);
    if (!leash) due = due ? std::min(*due, deadline) : deadline;
    if (sys::retry([&] { return ::poll(polls.data(), polls.size(), milliseconds_to(due)); }) < 0) {
      return base::failed_call("poll(listener)");
    }
    if (leash && polls[0].revents != 0) {
      leash.reset();
      deadline = Clock::now() + Channel::kFirstContact;
    }
    if (polls[1].revents != 0) {
      if (auto engine = reception_.admit()) return Channel(*std::move(engine));
    }
    (void)reception_.arrivals(launcher_);
    if (!leash && Clock::now() >= deadline) return base::fail(base::Code::kTimeout, "no engine connected");
  }
}

// One round of the loop. False when the engine has gone.
Result<bool> Supervisor::turn() {
  const int timeout = poll_timeout();
  std::vector<pollfd> polls{{channel_->fd(), channel_->wanted_events(), 0},
                            {children_.get(), POLLIN, 0},
                            {gauges_.notify_fd(), gauges_.notify_events(), 0}};
  const std::size_t door = polls.size();
  reception_.add_polls(polls);
  const std::size_t door_end = polls.size();
  for (const auto& [stream, run] : runs_) run.add_polls(polls);
  for (const auto& [stream, context] : contexts_) context.add_polls(polls);
  files_.add_polls(polls, channel_->has_room());
  if (::poll(polls.data(), polls.size(), timeout) < 0 && errno != EINTR) return base::failed_call("poll");
  if ((polls[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
    ASSIGN_OR_RETURN(const bool go_on, serve_engine());
    if (!go_on) return false;
  }
  if (polls[2].revents != 0) {
    gauges_.acknowledge();
    look_at_memory_until_ = Clock::now() + kMemoryNews;
  }
  look_at_memory();
  if (polls[door].revents != 0) admit();
  const auto knocks = std::span(polls).subspan(door + 1, door_end - door - 1);
  if (std::ranges::any_of(knocks, [](const pollfd& one) { return one.revents != 0; })) answer_door();
  for (auto& [stream, run] : runs_) RETURN_IF_ERROR(run.pump(*channel_));
  for (auto& [stream, context] : contexts_) RETURN_IF_ERROR(context.pump(gauges_));
  files_.pump(*channel_);
  if (polls[1].revents != 0) RETURN_IF_ERROR(reap());
  RETURN_IF_ERROR(flush());
  return true;
}

Result<> Supervisor::flush() {
  bool has_more = true;
  // What the socket takes makes room for more of what waits.
  while (has_more) {
    has_more = false;
    for (auto& [stream, run] : runs_) has_more |= run.outbox().flush(*channel_);
    for (auto& [stream, context] : contexts_) has_more |= context.outbox().flush(*channel_);
    auto flushed = channel_->flush();
    if (!flushed && !stays_) return flushed;
    if (!flushed) lose_engine();
    has_more = has_more && channel_->idle();
  }
  forget_told();
  return {};
}

void Supervisor::forget_told() {
  // One that stays is asked again, maybe by another engine: only what is acknowledged is told.
  const auto is_told = [&](const auto& one) {
    const Outbox& outbox = one.second.outbox();
    return one.second.is_over() && (stays_ ? outbox.is_empty() : outbox.is_sent());
  };
  std::erase_if(runs_, is_told);
  std::erase_if(contexts_, is_told);
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
  const auto wake_at = [&](std::optional<Clock::time_point> due) {
    if (due && (!next || *due < *next)) next = due;
  };
  for (auto& [stream, run] : runs_) wake_at(run.keep_time());
  for (auto& [stream, context] : contexts_) wake_at(context.keep_time());
  if (look_at_memory_until_ && !runs_.empty()) wake_at(Clock::now() + std::chrono::milliseconds(10));
  wake_at(reception_.keep_time());
  return milliseconds_to(next);
}

Result<bool> Supervisor::serve_engine() {
  auto connected = channel_->fill();
  if (connected && *connected) {
    auto served = serve_requests();
    if (served) return true;
    connected = std::unexpected(std::move(served).error());
  }
  if (!stays_) return connected;
  if (!connected) {
    fail(wire::init::kConnection, base::with_context("init", connected.error()));
    (void)channel_->flush();
  }
  lose_engine();
  return true;
}

void Supervisor::lose_engine() {
  channel_->hang_up();
  for (auto& [stream, run] : runs_) run.outbox().detach();
  for (auto& [stream, context] : contexts_) context.outbox().detach();
  // Those who are to come come for nobody.
  reception_.forget_all();
  files_.give_up();
}

// Whoever comes has reason to: the one before may not even know yet that it has lost its connection. A
// sandbox that is not to stay has one engine alone.
void Supervisor::admit() {
  auto engine = reception_.admit();
  if (!engine || !stays_) return;
  lose_engine();
  channel_ = Channel(*std::move(engine));
  greet();
}

void Supervisor::greet() {
  channel_->send(wire::init::kConnection, wire::init::Hello{.last_stream = last_stream_});
}

Result<> Supervisor::serve_requests() {
  while (true) {
    ASSIGN_OR_RETURN(auto message, channel_->next());
    if (!message) return {};
    if (message->file) {
      last_stream_ = std::max(last_stream_, message->file->stream);
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
  return tell_failure(stream, this->start(stream, start));
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::StartContext& start) {
  return tell_failure(stream, this->start(stream, start));
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::Execute& execute) {
  return tell_failure(stream, this->execute(stream, execute));
}

// What one request asks for in vain is no reason to end.
Result<> Supervisor::tell_failure(std::uint32_t stream, const Result<>& begun) {
  if (!begun) fail(stream, begun.error());
  return {};
}

Result<> Supervisor::make_place(std::uint32_t stream) {
  if (runs_.contains(stream) || contexts_.contains(stream) || reception_.expects(stream)) {
    return base::fail(base::Code::kConflict, "stream " + std::to_string(stream) + " has a process already");
  }
  if (live() + reception_.size() >= kMostProcesses) {
    return base::fail(base::Code::kExhausted,
                      std::to_string(kMostProcesses) + " processes run already; end one first");
  }
  if (runs_.size() + contexts_.size() >= wire::init::kMaxListed) {
    return base::fail(base::Code::kExhausted,
                      "the ends of too many processes are kept; acknowledge those that were seen");
  }
  last_stream_ = std::max(last_stream_, stream);
  // While others run, the peak is that of all.
  return live() == 0 ? gauges_.reset_peak() : Result<>();
}

std::size_t Supervisor::live() const { return count_live(runs_) + count_live(contexts_); }

void Supervisor::note_company() {
  if (live() == 1) return;
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

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::ExpectContext& context) {
  return tell_failure(stream, expect(stream, context));
}

Result<> Supervisor::expect(std::uint32_t stream, const wire::init::ExpectContext& context) {
  RETURN_IF_ERROR(make_place(stream));
  ASSIGN_OR_RETURN(auto early, reception_.expect(stream, context, launcher_));
  if (early) {
    take_in(stream, *std::move(early));
  } else {
    channel_->send(stream, wire::init::Done{});
  }
  return {};
}

void Supervisor::answer_door() {
  for (Reception::Arrival& arrival : reception_.arrivals(launcher_)) {
    if (arrival.launched) {
      take_in(arrival.stream, *std::move(arrival.launched));
    } else {
      fail(arrival.stream, arrival.launched.error());
    }
  }
}

void Supervisor::take_in(std::uint32_t stream, Launched launched) {
  // From here on foreign code runs under the user's id.
  launcher_.give_up_first();
  channel_->send(stream, wire::init::Started{.pid = static_cast<std::uint32_t>(launched.process.pid)});
  contexts_.emplace(stream, Context::of(stream, std::move(launched)));
  note_company();
}

Result<> Supervisor::execute(std::uint32_t stream, const wire::init::Execute& execute) {
  const auto context = contexts_.find(stream);
  if (context == contexts_.end()) {
    return base::fail(base::Code::kNotFound, "no context on stream " + std::to_string(stream));
  }
  // Alone, an execution has a peak of its own.
  if (live() == 1) RETURN_IF_ERROR(gauges_.reset_peak());
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
  reception_.forget(stream);
  return {};
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::Resize& resize) {
  const auto run = runs_.find(stream);
  if (run != runs_.end()) run->second.resize(resize.window);
  return {};
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::AskUsed&) {
  const auto used = cpu_microseconds(wiring_.cgroup);
  if (!used) return tell_failure(stream, std::unexpected(used.error()));
  channel_->send(stream, wire::init::Used{.cpu_us = *used});
  return {};
}

Outbox* Supervisor::outbox_of(std::uint32_t stream) {
  const auto run = runs_.find(stream);
  if (run != runs_.end()) return &run->second.outbox();
  const auto context = contexts_.find(stream);
  return context == contexts_.end() ? nullptr : &context->second.outbox();
}

// What concerns one that has been forgotten meanwhile goes nowhere.
Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::Acknowledge& seen) {
  Outbox* const outbox = outbox_of(stream);
  if (outbox != nullptr) RETURN_IF_ERROR(outbox->acknowledge(seen.number));
  forget_told();
  return {};
}

Result<> Supervisor::handle_one(std::uint32_t, const wire::init::Stay&) {
  stays_ = true;
  return {};
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::List&) {
  for (const auto& [of, run] : runs_) channel_->send(of, run.describe());
  for (const auto& [of, context] : contexts_) channel_->send(of, context.describe());
  channel_->send(stream, wire::init::Done{});
  return {};
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::Attach& attach) {
  return tell_failure(stream, this->attach(stream, attach));
}

Result<> Supervisor::attach(std::uint32_t stream, const wire::init::Attach& attach) {
  Outbox* const outbox = outbox_of(stream);
  if (outbox == nullptr) {
    return base::fail(base::Code::kNotFound, "no process or context on stream " + std::to_string(stream) +
                                                 "; list those that there are");
  }
  RETURN_IF_ERROR(outbox->acknowledge(attach.after));
  outbox->attach();
  const auto run = runs_.find(stream);
  channel_->send(stream, run != runs_.end() ? run->second.describe() : contexts_.at(stream).describe());
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
  const auto run = find_pid(runs_, reaped.pid);
  if (run == runs_.end()) return false;
  RETURN_IF_ERROR(run->second.finish(reaped.status, gauges_));
  return true;
}

Result<bool> Supervisor::finish_context(const sys::Reaped& reaped) {
  const auto context = find_pid(contexts_, reaped.pid);
  if (context == contexts_.end()) return false;
  RETURN_IF_ERROR(context->second.finish(reaped.status, gauges_));
  return true;
}

}  // namespace init
