#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/error.h"
#include "store/records.h"

namespace api {

inline store::Time now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}
inline store::Time to_time(std::chrono::system_clock::time_point time) {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(time);
}

// RFC 3339, UTC, with milliseconds.
inline std::string text_of(store::Time time) { return store::rfc3339(time); }
// The same, with or without a fraction. kInvalid for all else; `what` names it.
base::Result<store::Time> parse_time(std::string_view text, std::string_view what);

inline double seconds_of(std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1000; }

}  // namespace api
