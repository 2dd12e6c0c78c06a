// What a worker accepts from the engine is decoded within limits, and encodes to the bytes it was decoded
// from.
#include "wire/file_messages.h"
#include "wire/init_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wire::round_trip_frames(data, size, wire::file::decode_request, [](const wire::file::Request& request) {
    BASE_CHECK(wire::file::check(request).has_value());
  });
  return 0;
}
