// A packet to the root process is refused, or is the request that it says, byte for byte.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "base/check.h"
#include "wire/spawner_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto packet = std::as_bytes(std::span(data, size));
  const auto request = wire::spawner::decode_request(packet);
  if (!request) return 0;
  std::visit(
      [&](const auto& message) { BASE_CHECK(std::ranges::equal(wire::spawner::packet_of(message), packet)); },
      *request);
  if (const auto* create = std::get_if<wire::spawner::Create>(&*request)) {
    BASE_CHECK(create->root.view().size() < create->root.bytes.size());
    BASE_CHECK(create->workspace.view().size() < create->workspace.bytes.size());
  }
  return 0;
}
