#pragma once

#include <chrono>
#include <deque>
#include <optional>

namespace supervisor {

// How soon a program that ended is started again: at once, then later and later, and not any more when it
// ends too often. A program that has lived for a while begins anew.
class Restarts {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMost = 10;
  static constexpr std::chrono::seconds kWindow{120};
  static constexpr std::chrono::milliseconds kFirst{50};
  static constexpr std::chrono::milliseconds kLongest{5000};

  // It has ended now. None: give up.
  std::optional<std::chrono::milliseconds> after_end(Clock::time_point now);

 private:
  std::deque<Clock::time_point> ends_;  // within the window
};

}  // namespace supervisor
