#include "engine/context.h"

#include <poll.h>
#include <signal.h>

#include <array>
#include <cerrno>

namespace engine {

namespace {

using base::Cause;
using base::Code;
using wire::runtime::Verb;

}  // namespace

Result<Context> Context::start(Sandbox& sandbox, const ContextOptions& options) {
  const wire::init::StartContext start{
      .argv = options.argv, .environment = options.environment, .cwd = options.cwd, .user = options.user};
  RETURN_IF_ERROR(wire::init::check(start));
  Context context(sandbox, sandbox.take_stream());
  RETURN_IF_ERROR(sandbox.send(context.stream_, start));
  sandbox.acknowledgements_.listen(context.stream_);
  RETURN_IF_ERROR(context.await_ready());
  return context;
}

Result<Context> Context::start(Sandbox& sandbox, SpawnerClient& spawner, const ContextOptions& options) {
  if (options.birth != Birth::kCold && options.user == wire::init::User::kUser) {
    ASSIGN_OR_RETURN(auto entered, enter(sandbox, spawner, options));
    if (entered) return *std::move(entered);
  }
  return start(sandbox, options);
}

Result<bool> Context::be_expected(const ContextOptions& options) {
  const wire::init::ExpectContext expected{.environment = options.environment, .cwd = options.cwd};
  RETURN_IF_ERROR(wire::init::check(expected));
  RETURN_IF_ERROR(sandbox_->send(stream_, expected));
  sandbox_->acknowledgements_.listen(stream_);
  while (true) {
    ASSIGN_OR_RETURN(const auto event, next(nullptr));
    if (!event) return base::fail(Code::kUnavailable, "the sandbox ended before its context was expected");
    if (const auto* failed = std::get_if<wire::init::Failed>(&*event))
      return std::unexpected(error_of(*failed));
    if (std::holds_alternative<wire::init::Done>(*event)) return false;
    if (std::holds_alternative<wire::init::Started>(*event)) return true;
  }
}

// Nothing: it has to start cold.
Result<std::optional<Context>> Context::enter(Sandbox& sandbox, SpawnerClient& spawner,
                                              const ContextOptions& options) {
  const bool waits = options.birth == Birth::kZygote;
  Context context(sandbox, sandbox.take_stream());
  ASSIGN_OR_RETURN(const bool is_here, context.be_expected(options));
  if (!is_here) {
    wire::spawner::EnterContext request;
    request.sandbox.set(sandbox.id());
    request.stream = context.stream_;
    request.unready = waits ? wire::spawner::Unready::kWait : wire::spawner::Unready::kRefuse;
    auto entered = spawner.call(request);
    if (!entered) {
      RETURN_IF_ERROR(sandbox.send(context.stream_, wire::init::Signal{.number = SIGKILL}));
      const Code code = entered.error().code;
      if (code == Code::kUnsupported || (!waits && code == Code::kUnavailable)) return std::nullopt;
      return std::unexpected(std::move(entered).error());
    }
  }
  auto ready = context.await_ready();
  if (ready) return context;
  // One that had waited may have ended meanwhile: memory was short, or somebody killed it.
  if (is_here && ready.error().code == Code::kUnavailable) return std::nullopt;
  return std::unexpected(std::move(ready).error());
}

Result<> Context::await_ready() {
  std::string errors;  // what it wrote instead
  while (true) {
    ASSIGN_OR_RETURN(const auto event, next(nullptr));
    if (!event) return base::fail(Code::kUnavailable, "the sandbox ended before its context was ready");
    if (const auto* failed = std::get_if<wire::init::Failed>(&*event))
      return std::unexpected(error_of(*failed));
    if (const auto* wrote = std::get_if<wire::init::Wrote>(&*event)) {
      if (errors.size() < wire::init::kMaxMessage) errors += wrote->output.bytes;
    }
    const auto* said = std::get_if<wire::init::Said>(&*event);
    if (said != nullptr && said->piece.verb == Verb::kReady && said->piece.is_last()) return {};
    if (std::holds_alternative<wire::init::Ended>(*event)) {
      return base::fail(Code::kUnavailable,
                        "the runtime of the context ended before it was ready: " + errors);
    }
  }
}

Result<std::optional<wire::init::Event>> Context::next(CellObserver* observer) {
  while (true) {
    ASSIGN_OR_RETURN(auto message, sandbox_->next());
    if (!message) {
      auto more = await(observer);
      if (!more && more.error().code == Code::kUnavailable) return std::optional<wire::init::Event>();
      if (!more) return std::unexpected(std::move(more).error());
      continue;
    }
    if (message->concerns(stream_)) return std::optional(std::move(message->event));
  }
}

Result<> Context::await(CellObserver* observer) {
  std::array<pollfd, 2> polls{pollfd{sandbox_->socket_.get(), POLLIN, 0},
                              pollfd{observer != nullptr ? observer->interrupt_fd() : -1, POLLIN, 0}};
  if (::poll(polls.data(), polls.size(), -1) < 0 && errno != EINTR) return base::failed_call("poll");
  const int signal = polls[1].revents != 0 ? observer->take_interrupt() : 0;
  if (signal != 0) {
    RETURN_IF_ERROR(
        sandbox_->send(stream_, wire::init::Signal{.number = static_cast<std::uint32_t>(signal)}));
  }
  return polls[0].revents != 0 ? sandbox_->receive_some() : Result<>();
}

Result<Outcome> Context::execute(const Cell& cell, CellObserver& observer) {
  if (is_lost_) return base::fail(Code::kConflict, "the context has ended; start another");
  ASSIGN_OR_RETURN(const auto request, request_of(cell, execution_.number() + 1));
  execution_ = Execution(request.number);
  RETURN_IF_ERROR(sandbox_->send(stream_, request));
  std::optional<Outcome> outcome;
  while (true) {
    ASSIGN_OR_RETURN(auto event, next(&observer));
    if (!event) {
      is_lost_ = true;
      return outcome.value_or(Outcome{});  // the sandbox is gone: a way to end like any other
    }
    if (const auto* failed = std::get_if<wire::init::Failed>(&*event))
      return std::unexpected(error_of(*failed));
    if (const auto* wrote = std::get_if<wire::init::Wrote>(&*event)) {
      RETURN_IF_ERROR(observer.output(wrote->output.channel, wrote->output.bytes));
    }
    if (const auto* said = std::get_if<wire::init::Said>(&*event)) {
      RETURN_IF_ERROR(execution_.hear(said->piece, observer));
    }
    if (const auto* executed = std::get_if<wire::init::Executed>(&*event)) {
      if (executed->execution != execution_.number()) continue;
      outcome = execution_.outcome_of(executed->end);
      const bool lives = outcome->signal == 0 && outcome->cause != Cause::kContextLost;
      if (lives) return *outcome;
    }
    if (std::holds_alternative<wire::init::Ended>(*event)) {
      is_lost_ = true;
      return outcome.value_or(Outcome{.cause = Cause::kContextLost});
    }
  }
}

}  // namespace engine
