// A stream of frames means the same however it is cut into pieces, and what comes out encodes to what went
// in.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "wire/frame.h"

namespace {

struct Heard {
  std::string encoded;  // every frame, encoded again
  bool failed = false;

  void take_all(wire::FrameReader& reader) {
    while (!failed) {
      const auto frame = reader.next();
      failed = !frame;
      if (failed || !*frame) return;
      BASE_CHECK((*frame)->payload.size() <= wire::kMaxFramePayload);
      encoded += wire::encode_frame((*frame)->type, (*frame)->stream, (*frame)->payload);
    }
  }
};

Heard in_pieces(std::string_view stream, std::string_view cuts) {
  wire::FrameReader reader;
  Heard heard;
  for (std::size_t i = 0; !stream.empty(); ++i) {
    const auto wanted = cuts.empty() ? stream.size() : static_cast<unsigned char>(cuts[i % cuts.size()]) + 1U;
    const std::string_view piece = stream.substr(0, wanted);
    stream.remove_prefix(piece.size());
    reader.feed(piece);
    heard.take_all(reader);
  }
  return heard;
}

}  // namespace

// The first byte says how many of the next are lengths of pieces; the rest is the stream.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string_view cuts = rest.substr(0, std::min<std::size_t>(data[0], rest.size()));
  const std::string_view stream = rest.substr(cuts.size());
  const Heard whole = in_pieces(stream, {});
  const Heard cut = in_pieces(stream, cuts);
  BASE_CHECK(whole.encoded == cut.encoded);
  BASE_CHECK(whole.failed == cut.failed);
  BASE_CHECK(stream.starts_with(whole.encoded));
  return 0;
}
