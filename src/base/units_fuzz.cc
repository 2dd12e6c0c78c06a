// Sizes, times and CPUs as people type them: refused, or within what the result type holds.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/units.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto bytes = base::parse_bytes(text)) BASE_CHECK(!base::format_bytes(*bytes).empty());
  if (const auto time = base::parse_duration(text)) BASE_CHECK(time->count() >= 0);
  if (const auto cpus = base::parse_cpus(text)) BASE_CHECK(*cpus <= 1'000'000'000);
  return 0;
}
