// A meta text is refused, or says the same after being written again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "template/meta.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto meta = templates::parse_meta({reinterpret_cast<const char*>(data), size});
  if (!meta) return 0;
  const auto written = templates::format_meta(*meta);
  const auto again = templates::parse_meta(written);
  BASE_CHECK(again.has_value());
  BASE_CHECK(templates::format_meta(*again) == written);
  return 0;
}
