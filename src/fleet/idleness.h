#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace fleet {

// Whether a sandbox is idle: nobody has asked anything of it, nothing has gone on in it, and its processes
// have used next to no CPU, for as long as its timeout says. Pure: told what is seen, and when.
class Idleness {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;
  using Milliseconds = std::chrono::milliseconds;

  // A timeout of 0: never idle. CPU use is asked for at most once in `interval`.
  Idleness(Time now, Milliseconds timeout, Milliseconds interval)
      : timeout_(timeout), longest_interval_(interval), touched_(now), asked_(now) {}

  void set_timeout(Milliseconds timeout) { timeout_ = timeout; }
  void touch(Time now) { touched_ = now; }

  enum class Activity { kQuiet, kBusy };
  enum class Verdict { kGoOn, kAskUsed, kIdle };
  // `activity`: whether something goes on that is never idle; what is quiet may still use CPU.
  Verdict look(Time now, Activity activity);
  // What its processes have used since it was made.
  void hear_used(Time now, std::chrono::microseconds used);
  // When to look again; none: never.
  std::optional<Time> next_look() const;

 private:
  Milliseconds interval() const;

  Milliseconds timeout_;
  const Milliseconds longest_interval_;
  Time touched_;
  Time asked_;
  std::optional<std::chrono::microseconds> used_;
};

}  // namespace fleet
