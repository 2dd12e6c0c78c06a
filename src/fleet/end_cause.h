#pragma once

#include <cstdint>
#include <string_view>

namespace fleet {

// Why a sandbox has ended. Every end has exactly one; the first cause wins.
enum class EndCause : std::uint8_t {
  kDeleted,
  kExpired,      // its time to live
  kIdle,         // nothing happened in it, and nobody asked for anything
  kFailed,       // its init went, or broke the protocol
  kOutOfMemory,  // the kernel killed its init
  kHostReboot,
  kLost,  // it is not there any more, and nobody knows why
  kPolicy,
};
constexpr EndCause kLastEndCause = EndCause::kPolicy;

std::string_view name_of(EndCause cause);

}  // namespace fleet
