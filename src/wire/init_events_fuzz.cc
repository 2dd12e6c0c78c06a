// What init's side may say, hostile or not, is decoded within limits, and encodes to the bytes it was decoded
// from.
#include "wire/init_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wire::round_trip_frames(data, size, wire::init::decode_event, [](const wire::init::Event&) {});
  return 0;
}
