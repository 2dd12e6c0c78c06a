#include "fleet/idleness.h"

#include <algorithm>

namespace fleet {

// Three looks in the time of a short timeout: the difference between two of them is what counts.
Idleness::Milliseconds Idleness::interval() const {
  return std::clamp(timeout_ / 3, Milliseconds(1), longest_interval_);
}

Idleness::Verdict Idleness::look(Time now, Activity activity) {
  if (timeout_.count() == 0) return Verdict::kGoOn;
  if (activity == Activity::kBusy) touch(now);
  if (now >= touched_ + timeout_) return Verdict::kIdle;
  if (now < asked_ + interval()) return Verdict::kGoOn;
  asked_ = now;
  return activity == Activity::kQuiet ? Verdict::kAskUsed : Verdict::kGoOn;
}

void Idleness::hear_used(Time now, std::chrono::microseconds used) {
  // Who only wakes now and then to look around is idle: a thousandth of a CPU.
  const std::chrono::microseconds little = interval() / 1000 + Milliseconds(1);
  if (used_ && used > *used_ + little) touch(now);
  used_ = used;
}

std::optional<Idleness::Time> Idleness::next_look() const {
  if (timeout_.count() == 0) return std::nullopt;
  return std::min(touched_ + timeout_, asked_ + interval());
}

}  // namespace fleet
