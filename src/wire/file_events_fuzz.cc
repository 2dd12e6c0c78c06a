// What a worker may say, hostile or not, is decoded within limits, and encodes to the bytes it was decoded
// from.
#include "wire/file_messages.h"
#include "wire/init_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wire::round_trip_frames(data, size, wire::file::decode_event, [](const wire::file::Event&) {});
  return 0;
}
