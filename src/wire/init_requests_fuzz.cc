// What init accepts from the engine is decoded within limits, and encodes to the bytes it was decoded from.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "wire/init_messages.h"

// The input is one frame after another.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wire::FrameReader reader;
  reader.feed({reinterpret_cast<const char*>(data), size});
  while (true) {
    const auto frame = reader.next();
    if (!frame || !*frame) return 0;
    const auto request = wire::init::decode_request(**frame);
    if (!request) continue;
    const std::string again = wire::init::encode((*frame)->stream, *request);
    BASE_CHECK(again == wire::encode_frame((*frame)->type, (*frame)->stream, (*frame)->payload));
    if (const auto* start = std::get_if<wire::init::Start>(&*request))
      BASE_CHECK(wire::init::check(*start).has_value());
  }
}
