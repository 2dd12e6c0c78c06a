#include "store/idempotency.h"

#include <algorithm>

#include "store/database.h"

namespace store {

namespace {

using base::Code;

constexpr std::size_t kMaxKey = 255;
constexpr std::size_t kMaxHash = 64;

struct Record {
  std::string request_hash;
  std::string state;
  Idempotency::Begun begun;
};

Result<Record> read_record(Row row) {
  return Record{
      .request_hash = row.text(0),
      .state = row.text(1),
      .begun = {
          .verdict = Idempotency::Verdict::kNew,
          .answer = {.status = static_cast<int>(row.integer(3)), .headers = row.text(4), .body = row.text(5)},
          .subject = row.text(2)}};
}

Result<> check_attempt(const Attempt& attempt) {
  const auto visible = [](char c) { return c > 0x20 && c < 0x7f; };
  if (attempt.key.empty() || attempt.key.size() > kMaxKey ||
      !std::all_of(attempt.key.begin(), attempt.key.end(), visible)) {
    return base::fail(Code::kInvalid, "an Idempotency-Key is 1 to 255 visible ASCII characters");
  }
  if (attempt.request_hash.size() > kMaxHash)
    return base::fail(Code::kInternal, "the request's hash is too long");
  return {};
}

Idempotency::Verdict verdict_on(const Record& record, const Attempt& attempt) {
  using enum Idempotency::Verdict;
  if (record.request_hash != attempt.request_hash) return kMismatch;
  if (record.state == "answered") return kReplay;
  return record.state == "interrupted" ? kInterrupted : kInProgress;
}

// Of one that is under way.
Result<> one_changed(Result<std::int64_t> changed) {
  if (!changed) return std::unexpected(std::move(changed).error());
  if (*changed == 0) return base::fail(Code::kNotFound, "no request with this Idempotency-Key is under way");
  return {};
}

}  // namespace

Result<Idempotency::Begun> Idempotency::begin(const Attempt& attempt, Time now) {
  RETURN_IF_ERROR(check_attempt(attempt));
  Begun begun;
  RETURN_IF_ERROR(database_.atomically([&]() -> Result<> {
    RETURN_IF_ERROR(
        database_.run("DELETE FROM attempts WHERE team = ? AND key = ? AND state <> 'open' AND created <= ?",
                      attempt.team, attempt.key, now - kKept));
    ASSIGN_OR_RETURN(
        auto record,
        database_.first("SELECT request_hash, state, subject, status, headers, body FROM attempts "
                        "WHERE team = ? AND key = ?",
                        read_record, attempt.team, attempt.key));
    if (!record) {
      RETURN_IF_ERROR(database_.run(
          "INSERT INTO attempts (team, key, request_hash, state, created) VALUES (?, ?, ?, 'open', ?)",
          attempt.team, attempt.key, Blob{attempt.request_hash}, now));
      return {};
    }
    const auto verdict = verdict_on(*record, attempt);
    // Somebody is at it again, and nobody else may be meanwhile.
    if (verdict == Verdict::kInterrupted) {
      RETURN_IF_ERROR(database_.run("UPDATE attempts SET state = 'open' WHERE team = ? AND key = ?",
                                    attempt.team, attempt.key));
    }
    if (verdict == Verdict::kReplay || verdict == Verdict::kInterrupted) begun = std::move(record->begun);
    begun.verdict = verdict;
    return {};
  }));
  return begun;
}

Result<> Idempotency::set_subject(const Attempt& attempt, std::string_view subject) {
  return one_changed(
      database_.run("UPDATE attempts SET subject = ? WHERE team = ? AND key = ? AND state = 'open'", subject,
                    attempt.team, attempt.key));
}

Result<> Idempotency::finish(const Attempt& attempt, const Answer& answer) {
  if (answer.headers.size() + answer.body.size() > kMaxAnswer) {
    return base::fail(Code::kInvalid, "the answer is too long to be kept for a retry");
  }
  return one_changed(database_.run(
      "UPDATE attempts SET state = 'answered', status = ?, headers = ?, body = ? WHERE team = ? "
      "AND key = ? AND state = 'open'",
      answer.status, answer.headers, Blob{answer.body}, attempt.team, attempt.key));
}

Result<> Idempotency::forget(const Attempt& attempt) {
  RETURN_IF_ERROR(database_.run("DELETE FROM attempts WHERE team = ? AND key = ? AND state = 'open'",
                                attempt.team, attempt.key));
  return {};
}

Result<> Idempotency::take_over() {
  return database_.atomically([&]() -> Result<> {
    RETURN_IF_ERROR(database_.run("DELETE FROM attempts WHERE state = 'open' AND subject = ''"));
    RETURN_IF_ERROR(database_.run("UPDATE attempts SET state = 'interrupted' WHERE state = 'open'"));
    return {};
  });
}

Result<std::int64_t> Idempotency::expire(Time now) {
  return database_.run("DELETE FROM attempts WHERE created <= ? AND state <> 'open'", now - kKept);
}

}  // namespace store
