// Whatever a runtime says is cut into pieces within limits that put together again are what it said.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "wire/frame.h"
#include "wire/runtime_messages.h"

namespace {

// Follows the pieces of one message after another.
class Judge {
 public:
  void hear(const wire::runtime::Piece& piece) {
    BASE_CHECK(piece.bytes.size() <= wire::kMaxChunk);
    BASE_CHECK(piece.total <= wire::runtime::kMaxPayload);
    BASE_CHECK(piece.offset == expected_);
    BASE_CHECK(piece.offset + piece.bytes.size() <= piece.total);
    expected_ = piece.is_last() ? 0 : expected_ + static_cast<std::uint32_t>(piece.bytes.size());
  }

 private:
  std::uint32_t expected_ = 0;
};

// False when the reader does not want to hear more.
bool hear_all(wire::runtime::PieceReader& reader, Judge& judge) {
  while (true) {
    const auto piece = reader.next();
    if (!piece) return false;
    if (!*piece) return true;
    judge.hear(**piece);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t step = data[0] + 1U;
  wire::runtime::PieceReader reader;
  Judge judge;
  for (std::size_t at = 0; at < all.size(); at += step) {
    reader.feed(all.substr(at, step));
    if (!hear_all(reader, judge)) return 0;
  }
  return 0;
}
