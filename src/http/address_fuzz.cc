// An address is refused with its text, or is read again as it was.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "http/address.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto address = http::Address::parse(text);
  if (!address) return 0;
  const auto again = http::Address::parse(address->text());
  BASE_CHECK(again.has_value() && again->text() == address->text() &&
             again->is_local() == address->is_local());
  return 0;
}
