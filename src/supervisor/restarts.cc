#include "supervisor/restarts.h"

#include <algorithm>

namespace supervisor {

std::optional<std::chrono::milliseconds> Restarts::after_end(Clock::time_point now) {
  while (!ends_.empty() && now - ends_.front() > kWindow) ends_.pop_front();
  ends_.push_back(now);
  if (ends_.size() > kMost) return std::nullopt;
  return std::min(kLongest, kFirst * (1 << (ends_.size() - 1)));
}

}  // namespace supervisor
