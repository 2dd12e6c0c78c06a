#include <cstddef>
#include <cstdint>

#include "api/strict_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)api::parse_object({reinterpret_cast<const char*>(data), size});
  return 0;
}
