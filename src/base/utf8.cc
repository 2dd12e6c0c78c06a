#include "base/utf8.h"

#include <algorithm>

namespace base {

namespace {

struct Lead {
  std::size_t length;  // of the character; 0: none begins so
  std::uint32_t value;
};

Lead lead_of(std::uint32_t first) {
  if (first < 0x80) return {1, first};
  if (first >= 0xC2 && first <= 0xDF) return {2, first & 0x1FU};
  if (first >= 0xE0 && first <= 0xEF) return {3, first & 0x0FU};
  if (first >= 0xF0 && first <= 0xF4) return {4, first & 0x07U};
  return {0, 0};
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80; }

// Told by the second byte already, so that a cut one is known for what it is.
bool goes_together(unsigned char first, unsigned char second) {
  if (first == 0xE0) return second >= 0xA0;  // overlong
  if (first == 0xED) return second <= 0x9F;  // surrogate
  if (first == 0xF0) return second >= 0x90;  // overlong
  if (first == 0xF4) return second <= 0x8F;  // beyond the last
  return true;
}

}  // namespace

Utf8 first_character(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  auto [length, value] = lead_of(first);
  std::size_t size = 1;
  while (size < std::min(length, bytes.size()) && continues(bytes[size])) {
    if (size == 1 && !goes_together(first, static_cast<unsigned char>(bytes[1]))) break;
    value = value << 6U | (static_cast<unsigned char>(bytes[size]) & 0x3FU);
    ++size;
  }
  if (size == length) return {Utf8::Kind::kWhole, size, value};
  const bool is_cut = length != 0 && size == bytes.size();
  return {is_cut ? Utf8::Kind::kCut : Utf8::Kind::kBad, size, 0};
}

}  // namespace base
