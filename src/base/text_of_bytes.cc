#include "base/text_of_bytes.h"

#include "base/utf8.h"

namespace base {

namespace {
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
}  // namespace

std::string TextOfBytes::take(std::string_view bytes) {
  waiting_ += bytes;
  std::string_view left = waiting_;
  std::string text;
  while (!left.empty()) {
    const auto character = first_character(left);
    if (character.kind == Utf8::Kind::kCut) break;  // its rest may come
    const bool is_whole = character.kind == Utf8::Kind::kWhole;
    text += is_whole ? left.substr(0, character.size) : kReplacement;
    left.remove_prefix(character.size);
  }
  waiting_ = std::string(left);
  return text;
}

std::string TextOfBytes::rest() {
  const bool is_cut = !waiting_.empty();
  waiting_.clear();
  return is_cut ? std::string(kReplacement) : std::string();
}

}  // namespace base
