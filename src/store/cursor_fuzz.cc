// A cursor is refused, or is the only one of its place.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "store/cursor.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto place = store::parse_cursor(text);
  if (place) {
    BASE_CHECK(store::cursor_of(*place) == text);
    BASE_CHECK(store::SandboxId::parse(place->id).has_value());
  } else {
    BASE_CHECK(place.error().code == base::Code::kInvalid);
  }
  return 0;
}
