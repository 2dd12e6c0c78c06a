// What init accepts from the engine is decoded within limits, and encodes to the bytes it was decoded from.
#include "wire/init_fuzz.h"

namespace {

void start_is_checked(const wire::init::Request& request) {
  const auto* start = std::get_if<wire::init::Start>(&request);
  BASE_CHECK(start == nullptr || wire::init::check(*start).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wire::round_trip_frames(data, size, wire::init::decode_request, start_is_checked);
  return 0;
}
