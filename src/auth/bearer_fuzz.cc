// A header is refused, or is a scheme, a blank and a key that reads back as itself.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "auth/key.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto credential = auth::parse_bearer(text);
  if (!credential) return 0;
  BASE_CHECK(text.substr(6) == " " + auth::display_name(credential->id) + "_" + credential->secret);
  BASE_CHECK(auth::parse_key(text.substr(7)).has_value());
  for (const char c : credential->secret) BASE_CHECK(c > 0x20 && c < 0x7f);
  return 0;
}
