// Whatever a runtime says is cut into pieces within limits that put together again are what it said.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "wire/frame.h"
#include "wire/runtime_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using wire::runtime::PieceReader;
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t step = data[0] + 1U;
  PieceReader reader;
  std::uint32_t expected = 0;
  for (std::size_t at = 0; at < all.size(); at += step) {
    reader.feed(all.substr(at, step));
    while (true) {
      const auto piece = reader.next();
      if (!piece) return 0;
      if (!*piece) break;
      BASE_CHECK((*piece)->bytes.size() <= wire::kMaxChunk);
      BASE_CHECK((*piece)->total <= wire::runtime::kMaxPayload);
      BASE_CHECK((*piece)->offset == expected);
      BASE_CHECK((*piece)->offset + (*piece)->bytes.size() <= (*piece)->total);
      expected = (*piece)->is_last() ? 0 : expected + static_cast<std::uint32_t>((*piece)->bytes.size());
    }
  }
  return 0;
}
