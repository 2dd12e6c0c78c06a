#pragma once

#include <cstdint>
#include <string_view>

namespace base {

// Why an execution ended. Every end has exactly one; the first cause wins.
enum class Cause : std::uint8_t {
  kOk,
  kError,  // the code raised or exited non-zero
  kInterrupted,
  kTimeout,
  kOutOfMemory,
  kCrashed,  // a signal; the outcome carries it
  kDiskFull,
  kPidsLimit,
  kCancelled,
  kContextLost,
  kSandboxEnded,
};
constexpr Cause kLastCause = Cause::kSandboxEnded;

std::string_view name_of(Cause cause);

// Limits that a run touched, even when it succeeded; a receipt lists them.
enum class Limit : std::uint8_t { kTime, kMemory, kDisk, kPids, kOutput };
constexpr Limit kAllLimits[] = {Limit::kTime, Limit::kMemory, Limit::kDisk, Limit::kPids, Limit::kOutput};

std::string_view name_of(Limit limit);
constexpr std::uint32_t bit(Limit limit) { return 1U << static_cast<unsigned>(limit); }

}  // namespace base
