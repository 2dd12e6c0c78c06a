// A catalogue is refused, or says the same when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "catalogue/catalogue.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto catalogue = catalogue::parse({reinterpret_cast<const char*>(data), size});
  if (!catalogue) return 0;
  const auto text = catalogue::to_json(*catalogue);
  const auto again = catalogue::parse(text);
  BASE_CHECK(again.has_value() && catalogue::to_json(*again) == text);
  for (const auto& each : catalogue->templates) {
    const auto found = catalogue->resolve(each.digest);
    BASE_CHECK(found.has_value() || found.error().code == base::Code::kInvalid);
  }
  return 0;
}
