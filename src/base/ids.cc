#include "base/ids.h"

#include <sys/random.h>

#include <vector>

#include "base/check.h"

namespace base {

namespace {
std::vector<unsigned char> random_bytes(std::size_t count) {
  std::vector<unsigned char> bytes(count);
  BASE_CHECK(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(count));
  return bytes;
}
}  // namespace

std::string random_name(std::size_t length) {
  // 32 letters, so that every byte maps without bias: 80 bits in 16 characters.
  constexpr std::string_view kAlphabet = "abcdefghijkmnpqrstuvwxyz23456789";
  static_assert(kAlphabet.size() == 32);
  std::string text;
  for (const unsigned char byte : random_bytes(length)) text += kAlphabet[byte % kAlphabet.size()];
  return text;
}

Result<> check_name(std::string_view text, std::size_t length, std::string_view whose) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  bool good = text.size() == length;
  for (const char c : text) good = good && allowed(c);
  if (good) return {};
  return fail(Code::kInvalid,
              std::string(whose) + " is " + std::to_string(length) + " lower-case letters and digits");
}

std::string random_hex(std::size_t bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : random_bytes(bytes)) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace base
