#pragma once

#include "store/records.h"

namespace store {

class Database;

// A request that may come again: the same key and hash mean the same request.
struct Attempt {
  TeamId team;
  std::string key;           // the Idempotency-Key header: 1 to 255 visible ASCII characters, else kInvalid
  std::string request_hash;  // of method, path and body; at most 64 bytes
};

// What a request was answered with.
struct Answer {
  int status = 0;
  std::string headers;  // as the caller writes them down
  std::string body;
};

// Answers to POSTs, kept for a day, so that a retry does nothing twice. A request begins (kNew), does its
// work, and finishes or is forgotten. Call begin and the insert of what the request makes in one
// Store::atomically, with the id of that as the subject: then a crash leaves both or neither.
class Idempotency {
 public:
  static constexpr std::chrono::hours kKept{24};
  // A longer answer is not kept: finish says kInvalid, and the attempt is to be forgotten.
  static constexpr std::size_t kMaxAnswer = std::size_t{16} << 20;

  enum class Verdict {
    kNew,          // go on; nobody else may until finish or forget
    kReplay,       // answered before: `answer`
    kInProgress,   // somebody is at it now (409)
    kMismatch,     // the key was used for another request (422)
    kInterrupted,  // a server died over it after it had made `subject`: answer with what that is now, and
                   // finish
  };
  struct Begun {
    Verdict verdict = Verdict::kNew;
    Answer answer;        // of kReplay
    std::string subject;  // of kInterrupted
  };

  explicit Idempotency(Database& database) : database_(database) {}

  Result<Begun> begin(const Attempt& attempt, Time now);
  // Names what the attempt is about to make.
  Result<> set_subject(const Attempt& attempt, std::string_view subject);
  Result<> finish(const Attempt& attempt, const Answer& answer);
  // For a request that failed before it did anything: its retry is a new one.
  Result<> forget(const Attempt& attempt);

  // Once, when a server starts: attempts that an earlier one left. Those without a subject are forgotten.
  Result<> take_over();
  // Forgets what is older than kKept; the number of records that went.
  Result<std::int64_t> expire(Time now);

 private:
  Database& database_;
};

}  // namespace store
