#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace base {

// What bytes begin with, read as UTF-8: a character, the beginning of one, or nothing of the kind.
struct Utf8 {
  enum class Kind { kWhole, kCut, kBad };
  Kind kind = Kind::kBad;
  std::size_t size = 1;     // of what was read; the next character may begin behind it
  std::uint32_t value = 0;  // of a whole one
};

// The bytes must not be empty. Overlong forms, halves of surrogate pairs and what lies beyond U+10FFFF are
// bad.
Utf8 first_character(std::string_view bytes);

}  // namespace base
