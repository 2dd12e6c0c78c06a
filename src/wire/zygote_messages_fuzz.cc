// What a zygote or a newcomer says is refused, or is a message whose text ends.
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "wire/zygote_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto packet = std::as_bytes(std::span(data, size));
  wire::zygote::Said said;
  if (wire::zygote::is_sound(packet, said)) {
    BASE_CHECK(size == sizeof said && std::memchr(said.text, '\0', sizeof said.text) != nullptr);
  }
  wire::zygote::Knock knock;
  if (wire::zygote::is_sound(packet, knock)) BASE_CHECK(size == sizeof knock && knock.stream != 0);
  return 0;
}
