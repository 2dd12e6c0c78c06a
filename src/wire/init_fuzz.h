#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "wire/init_messages.h"

namespace wire {

// Feeds one frame after another through `decode`. What it accepts must encode to the bytes it was decoded
// from; `judge` may ask for more.
template <typename Decode, typename Judge>
void round_trip_frames(const std::uint8_t* data, std::size_t size, Decode decode, Judge judge) {
  FrameReader reader;
  reader.feed({reinterpret_cast<const char*>(data), size});
  while (true) {
    const auto frame = reader.next();
    if (!frame || !*frame) return;
    const auto message = decode(**frame);
    if (!message) continue;
    const std::string again = encode((*frame)->stream, *message);
    BASE_CHECK(again == encode_frame((*frame)->type, (*frame)->stream, (*frame)->payload));
    judge(*message);
  }
}

}  // namespace wire
