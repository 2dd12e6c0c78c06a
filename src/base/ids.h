#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/error.h"

namespace base {

// A sandbox's name: lower-case letters and digits only, because host names like <port>-<id>.<domain> are
// parsed back. Random, so that nobody can guess another tenant's.
class SandboxId {
 public:
  static constexpr std::size_t kLength = 16;

  static SandboxId random();
  static Result<SandboxId> parse(std::string_view text);

  const std::string& text() const { return text_; }
  auto operator<=>(const SandboxId&) const = default;

 private:
  explicit SandboxId(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// `bytes` random bytes as lower-case hex.
std::string random_hex(std::size_t bytes);

}  // namespace base
