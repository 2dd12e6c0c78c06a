#include "cli/utf8.h"

#include <algorithm>
#include <cstdint>

namespace cli {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// How many bytes a character has that begins with this one; 0: none does.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Overlong forms, halves of pairs and what lies beyond the last character: told by the second byte.
bool goes_together(unsigned char first, unsigned char second) {
  if (first == 0xE0) return second >= 0xA0;
  if (first == 0xED) return second <= 0x9F;
  if (first == 0xF0) return second >= 0x90;
  if (first == 0xF4) return second <= 0x8F;
  return true;
}

// How many bytes at the front belong together as a character, or as the beginning of one.
std::size_t good_prefix(std::string_view bytes, std::size_t length) {
  std::size_t good = 1;
  while (good < std::min(length, bytes.size()) && continues(bytes[good])) ++good;
  if (good > 1 && !goes_together(static_cast<unsigned char>(bytes[0]), static_cast<unsigned char>(bytes[1])))
    return 1;
  return good;
}

}  // namespace

std::string TextOfBytes::take(std::string_view bytes) {
  waiting_ += bytes;
  std::string_view left = waiting_;
  std::string text;
  while (!left.empty()) {
    const std::size_t length = length_of(static_cast<unsigned char>(left[0]));
    const std::size_t good = good_prefix(left, length);
    if (length != 0 && good == left.size() && good < length) break;  // its rest may come
    text += good == length ? left.substr(0, good) : kReplacement;
    left.remove_prefix(good);
  }
  waiting_ = std::string(left);
  return text;
}

std::string TextOfBytes::rest() {
  const bool is_cut = !waiting_.empty();
  waiting_.clear();
  return is_cut ? std::string(kReplacement) : std::string();
}

}  // namespace cli
