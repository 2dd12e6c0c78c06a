// Whatever a runtime tells: it is a bundle whose bytes lie within it, or an error.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "engine/bundle.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bundle = engine::Bundle::parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!bundle) return 0;
  for (const auto& [key, value] : bundle->head()) {
    if (const auto bytes = bundle->bytes_of(value)) BASE_CHECK(bytes->size() <= size);
  }
  return 0;
}
