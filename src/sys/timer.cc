#include "sys/timer.h"

#include <sys/timerfd.h>

namespace sys {

Result<UniqueFd> timer_after(std::chrono::milliseconds time) {
  UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  if (!timer) return base::failed_call("timerfd_create");
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const itimerspec once{
      .it_interval = {},
      .it_value = {.tv_sec = seconds.count(), .tv_nsec = std::chrono::nanoseconds(time - seconds).count()}};
  if (::timerfd_settime(timer.get(), 0, &once, nullptr) != 0) return base::failed_call("timerfd_settime");
  return timer;
}

}  // namespace sys
