#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/error.h"

namespace base {

// `length` letters and digits.
std::string random_name(std::size_t length);
// Whether this could be one; `whose` is for the message.
Result<> check_name(std::string_view text, std::size_t length, std::string_view whose);

// The name of a thing of this kind: lower-case letters and digits only, because host names like
// <port>-<id>.<domain> are parsed back. Random, so that nobody can guess another tenant's.
template <class Kind>
class RandomId {
 public:
  static constexpr std::size_t kLength = Kind::kLength;

  static RandomId random() { return RandomId(random_name(kLength)); }
  static Result<RandomId> parse(std::string_view text) {
    RETURN_IF_ERROR(check_name(text, kLength, Kind::kName));
    return RandomId(std::string(text));
  }

  const std::string& text() const { return text_; }
  auto operator<=>(const RandomId&) const = default;

 private:
  explicit RandomId(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

struct SandboxKind {
  static constexpr std::size_t kLength = 16;
  static constexpr std::string_view kName = "a sandbox id";
};
using SandboxId = RandomId<SandboxKind>;

// `bytes` random bytes as lower-case hex.
std::string random_hex(std::size_t bytes);

}  // namespace base
