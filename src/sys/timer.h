#pragma once

#include <chrono>

#include "base/error.h"
#include "sys/fd.h"

namespace sys {

using base::Result;

// A descriptor that becomes readable after this time and stays so (timerfd).
Result<UniqueFd> timer_after(std::chrono::milliseconds time);

}  // namespace sys
