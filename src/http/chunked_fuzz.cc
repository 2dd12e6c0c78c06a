// A chunked body is the same, or wrong, however it is cut on its way.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/chunked.h"

namespace {
std::optional<std::string> decode(std::string_view input, std::size_t step) {
  http::ChunkedDecoder decoder;
  std::string output;
  while (!decoder.is_done() && !input.empty()) {
    const std::string_view offered = input.substr(0, step);
    const auto fed = decoder.feed(offered);
    if (!fed) return std::nullopt;
    BASE_CHECK(fed->consumed > 0 && fed->consumed <= offered.size() && fed->data.size() <= fed->consumed);
    output += fed->data;
    input.remove_prefix(fed->consumed);
  }
  return output + (decoder.is_done() ? "!" : "?") + std::to_string(input.size());
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  BASE_CHECK(decode(text, text.size() + 1) == decode(text, 1 + data[0] % 16));
  return 0;
}
