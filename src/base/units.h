#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace base {

// "512M", "1G", "65536", "64k", also "MiB"/"MB": binary units throughout.
Result<std::uint64_t> parse_bytes(std::string_view text);
// "30s", "5m", "1h", "250ms", "2d"; a bare number is seconds.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);
// "1", "0.5", "2.25": thousandths of a CPU.
Result<std::uint32_t> parse_cpus(std::string_view text);

std::string format_bytes(std::uint64_t bytes);
std::string format_duration(std::chrono::microseconds time);

}  // namespace base
