#include "api/signals.h"

#include <signal.h>
#include <string.h>

namespace api {

std::optional<int> signal_of(std::string_view name) {
  if (name.starts_with("SIG")) name.remove_prefix(3);
  // The C library calls it POLL, everybody else does not.
  if (name == "IO") return SIGIO;
  for (int number = 1; number <= SIGSYS; ++number) {
    const char* known = ::sigabbrev_np(number);
    if (number != SIGIO && known != nullptr && name == known) return number;
  }
  return std::nullopt;
}

}  // namespace api
