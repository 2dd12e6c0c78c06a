#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "template/pip_lock.h"

// What is accepted reads the same when it is written out and read again: pip sees what we have checked.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto packages = templates::parse_pip_lock(text, "fuzz");
  if (!packages) return 0;
  const auto written = templates::format_requirements(*packages);
  const auto again = templates::parse_pip_lock(written, "fuzz");
  BASE_CHECK(again && templates::format_requirements(*again) == written);
  return 0;
}
