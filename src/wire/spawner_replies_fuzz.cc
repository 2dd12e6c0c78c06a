// A reply is refused, or its texts end within their fields and its steps within their table.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "wire/spawner_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto packet = std::as_bytes(std::span(data, size));
  const auto reply = wire::spawner::decode_reply(packet);
  if (!reply) return 0;
  BASE_CHECK(std::ranges::equal(wire::spawner::packet_of(*reply), packet));
  BASE_CHECK(reply->step_count <= reply->steps.size());
  for (const auto& step : reply->steps) BASE_CHECK(step.name.view().size() < step.name.bytes.size());
  return 0;
}
