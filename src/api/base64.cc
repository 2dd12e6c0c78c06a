#include "api/base64.h"

#include <openssl/evp.h>

namespace api {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::size_t padding_of(std::string_view text) {
  if (text.ends_with("==")) return 2;
  return text.ends_with('=') ? 1 : 0;
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // with the NUL that it ends with
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

base::Result<std::string> bytes_of_base64(std::string_view text) {
  const std::size_t padding = padding_of(text);
  const std::string_view letters = text.substr(0, text.size() - padding);
  // OpenSSL skips blanks and bears padding in the middle.
  if (text.size() % 4 != 0 || letters.find_first_not_of(kAlphabet) != std::string_view::npos) {
    return base::fail(base::Code::kInvalid, "is no base64");
  }
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (size < 0) return base::fail(base::Code::kInvalid, "is no base64");
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

}  // namespace api
