#pragma once

#include <cerrno>

namespace sys {

// Repeats a call while a signal interrupts it.
template <class Call>
auto retry(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

}  // namespace sys
