#pragma once

#include <string>
#include <string_view>

namespace base {

// Makes text of bytes that come in pieces, for JSON: a character that is cut waits for its rest, and what is
// no UTF-8 becomes U+FFFD.
class TextOfBytes {
 public:
  std::string take(std::string_view bytes);
  // Nothing comes any more.
  std::string rest();

 private:
  std::string waiting_;
};

}  // namespace base
