#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace init {

using Clock = std::chrono::steady_clock;

inline std::uint64_t microseconds_between(Clock::time_point start, Clock::time_point end) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(end - start).count());
}

inline std::uint64_t microseconds_since(Clock::time_point start) {
  return microseconds_between(start, Clock::now());
}

// When something has to end: it is asked first, and after a grace it is killed, again and again until it is
// gone, because a fork may have been under way.
class Deadline {
 public:
  enum class Act { kNothing, kAsk, kKill };

  Deadline() = default;
  // A limit of zero is none.
  Deadline(Clock::time_point start, std::chrono::milliseconds limit, std::chrono::milliseconds grace)
      : grace_(grace) {
    if (limit.count() != 0) ask_at_ = start + limit;
  }

  // What is to be done now; each is told when it is due.
  Act due(Clock::time_point now) {
    if (ask_at_ && now >= *ask_at_) {
      ask_at_.reset();
      passed_ = true;
      kill_at_ = now + grace_;
      return Act::kAsk;
    }
    if (kill_at_ && now >= *kill_at_) {
      kill_at_ = now + kAgain;
      return Act::kKill;
    }
    return Act::kNothing;
  }

  std::optional<Clock::time_point> next() const { return ask_at_ ? ask_at_ : kill_at_; }
  bool passed() const { return passed_; }

 private:
  static constexpr std::chrono::milliseconds kAgain{100};

  std::chrono::milliseconds grace_{0};
  std::optional<Clock::time_point> ask_at_;
  std::optional<Clock::time_point> kill_at_;
  bool passed_ = false;
};

}  // namespace init
