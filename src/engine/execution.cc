#include "engine/execution.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

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

Result<wire::init::Execute> request_of(const Cell& cell, std::uint32_t number) {
  std::string payload = payload_of(cell);
  if (payload.size() > wire::init::kMaxExecution) {
    return base::fail(Code::kInvalid, "code and input are larger than 3 MiB; put them into a file");
  }
  return wire::init::Execute{.number = number,
                             .deadline_ms = static_cast<std::uint64_t>(cell.timeout.count()),
                             .grace_ms = static_cast<std::uint64_t>(cell.grace.count()),
                             .output_cap = cell.output_cap,
                             .payload = std::move(payload)};
}

Result<> Execution::hear(const wire::runtime::Piece& piece, CellObserver& observer) {
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

Result<> Execution::tell(CellObserver& observer) {
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

void Execution::note_done(const std::string& payload) {
  boost::system::error_code error;
  const auto value = boost::json::parse(payload, error);
  const auto* done = error ? nullptr : value.if_object();
  if (done == nullptr) return;
  const auto* status = done->if_contains("status");
  failed_ = status == nullptr || !status->is_string() || status->get_string() != "ok";
  const auto* code = done->if_contains("exit_code");
  if (code != nullptr && code->is_int64()) exit_code_ = static_cast<int>(code->get_int64() & 0xff);
}

Outcome Execution::outcome_of(const wire::init::Ended& end) const {
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
