#include "engine/context.h"

#include <poll.h>
#include <signal.h>

#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>

namespace engine {

namespace {

using base::Cause;
using base::Code;
using base::Limit;
using wire::runtime::Verb;

// Of one result; a figure or a table larger than this belongs into a file.
constexpr std::size_t kMaxBundle = 32 << 20;

std::string payload_of(const Cell& cell) {
  boost::json::object payload{
      {"code", cell.code},
      {"stdin", cell.input.empty() ? boost::json::value(nullptr) : boost::json::value(cell.input)}};
  if (!cell.language.empty()) payload["language"] = cell.language;
  if (cell.purpose == Purpose::kCheck) payload["purpose"] = "check";
  return boost::json::serialize(payload);
}

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
  std::string payload = payload_of(cell);
  if (payload.size() > wire::init::kMaxExecution) {
    return base::fail(Code::kInvalid, "code and input are larger than 3 MiB; put them into a file");
  }
  message_.clear();
  is_too_large_ = failed_ = false;
  exit_code_ = 0;
  RETURN_IF_ERROR(sandbox_->send(
      stream_, wire::init::Execute{.number = ++number_,
                                   .deadline_ms = static_cast<std::uint64_t>(cell.timeout.count()),
                                   .grace_ms = static_cast<std::uint64_t>(cell.grace.count()),
                                   .output_cap = cell.output_cap,
                                   .payload = std::move(payload)}));
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
      RETURN_IF_ERROR(hear(said->piece, observer));
    }
    if (const auto* executed = std::get_if<wire::init::Executed>(&*event)) {
      if (executed->execution != number_) continue;
      outcome = outcome_of(executed->end);
      const bool lives = outcome->signal == 0 && outcome->cause != Cause::kContextLost;
      if (lives) return *outcome;
    }
    if (std::holds_alternative<wire::init::Ended>(*event)) {
      is_lost_ = true;
      return outcome.value_or(Outcome{.cause = Cause::kContextLost});
    }
  }
}

Result<> Context::hear(const wire::runtime::Piece& piece, CellObserver& observer) {
  const bool is_ours = piece.execution == number_ && piece.verb != Verb::kReady;
  if (!is_ours) return {};
  if (message_.size() + piece.bytes.size() > kMaxBundle) is_too_large_ = true;
  if (!is_too_large_) message_ += piece.bytes;
  if (!piece.is_last() || piece.verb == Verb::kPart) return {};
  if (piece.verb == Verb::kDone) {
    note_done(message_);
    message_.clear();
    return {};
  }
  return tell(observer);
}

Result<> Context::tell(CellObserver& observer) {
  std::string payload = std::exchange(message_, {});
  if (std::exchange(is_too_large_, false)) {
    constexpr std::string_view kNotice =
        R"({"type": "notice", "text": "a result larger than 32 MiB was dropped; write it to a file"})";
    payload = std::to_string(kNotice.size()) + "\n" + std::string(kNotice);
  }
  // One that cannot be read is no reason to lose the others: only its own code can have made it so.
  const auto bundle = Bundle::parse(std::move(payload));
  return bundle ? observer.event(*bundle) : Result<>();
}

void Context::note_done(const std::string& payload) {
  boost::system::error_code error;
  const auto value = boost::json::parse(payload, error);
  const auto* done = error ? nullptr : value.if_object();
  if (done == nullptr) return;
  const auto* status = done->if_contains("status");
  failed_ = status == nullptr || !status->is_string() || status->get_string() != "ok";
  const auto* code = done->if_contains("exit_code");
  if (code != nullptr && code->is_int64()) exit_code_ = static_cast<int>(code->get_int64() & 0xff);
}

Outcome Context::outcome_of(const wire::init::Ended& end) const {
  Outcome outcome{.cause = end.cause,
                  .exit_code = end.exit_code != 0 ? static_cast<int>(end.exit_code) : exit_code_,
                  .signal = static_cast<int>(end.signal),
                  .limits_hit = end.limits_hit,
                  .usage = end.usage};
  if (outcome.cause != Cause::kOk || !failed_) return outcome;
  // As a script's would be.
  if (outcome.exit_code == 0) outcome.exit_code = 1;
  // The code failed. A limit that it ran into explains that better than the failure itself.
  outcome.cause = Cause::kError;
  if ((end.limits_hit & bit(Limit::kPids)) != 0) outcome.cause = Cause::kPidsLimit;
  if ((end.limits_hit & bit(Limit::kDisk)) != 0) outcome.cause = Cause::kDiskFull;
  if ((end.limits_hit & bit(Limit::kMemory)) != 0) outcome.cause = Cause::kOutOfMemory;
  return outcome;
}

}  // namespace engine
