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
    : wiring_(wiring), policy_(std::move(policy)), gauges_(wiring.gauges) {}

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
  if (run_) run_->add_polls(polls, channel_->has_room());
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
  if (run_) RETURN_IF_ERROR(run_->pump(*channel_));
  if (polls[1].revents != 0) RETURN_IF_ERROR(reap());
  RETURN_IF_ERROR(channel_->flush());
  return true;
}

void Supervisor::look_at_memory() {
  if (!look_at_memory_until_) return;
  const bool killed = run_ && gauges_.out_of_memory().value_or(false);
  if (killed) run_->on_out_of_memory();
  if (killed || Clock::now() >= *look_at_memory_until_) look_at_memory_until_.reset();
}

int Supervisor::poll_timeout() {
  if (!run_) return -1;
  auto next = run_->keep_time();
  if (look_at_memory_until_) {
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
    RETURN_IF_ERROR(handle(message->stream, message->request));
  }
}

Result<> Supervisor::handle(std::uint32_t stream, const wire::init::Request& request) {
  return std::visit([&](const auto& one) { return handle_one(stream, one); }, request);
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::Start& start) {
  if (run_) {
    fail(stream, {base::Code::kConflict, "a process is running already"});
    return {};
  }
  if (auto begun = gauges_.begin(); !begun) {
    fail(stream, begun.error());
    return {};
  }
  auto leaf = Leaf::make(wiring_.cgroup, "p" + std::to_string(++runs_));
  if (!leaf) {
    fail(stream, leaf.error());
    return {};
  }
  auto run = Run::start(stream, start, policy_, *std::move(leaf));
  if (!run) {
    fail(stream, run.error());
    return {};
  }
  run_.emplace(*std::move(run));
  channel_->send(stream, wire::init::Started{.pid = static_cast<std::uint32_t>(run_->pid())});
  return {};
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::Input& input) {
  // Input for a process that has ended meanwhile goes nowhere.
  if (!run_ || run_->stream() != stream) return {};
  return run_->give_input(input.bytes);
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::Signal& signal) {
  if (run_ && run_->stream() == stream) run_->deliver_signal(static_cast<int>(signal.number));
  return {};
}

Result<> Supervisor::handle_one(std::uint32_t stream, const wire::init::PutFile& file) {
  if (auto done = put_file(file, policy_); !done) {
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
  while (true) {
    ASSIGN_OR_RETURN(const auto reaped, sys::wait_any());
    if (!reaped) return {};
    if (!run_ || reaped->pid != run_->pid()) continue;  // an orphan
    ASSIGN_OR_RETURN(const auto ended, run_->finish(reaped->status, gauges_, *channel_));
    channel_->send(run_->stream(), ended);
    run_.reset();
  }
}

}  // namespace init
