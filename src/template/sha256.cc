#include "template/sha256.h"

#include <array>
#include <span>

#include "base/check.h"

namespace templates {

Hash::Hash(const EVP_MD* kind) : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  BASE_CHECK(context_ != nullptr);
  BASE_CHECK(EVP_DigestInit_ex2(context_.get(), kind, nullptr) == 1);
}

void Hash::update(std::string_view bytes) {
  BASE_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Hash::take_hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> raw{};
  unsigned size = 0;
  BASE_CHECK(EVP_DigestFinal_ex(context_.get(), raw.data(), &size) == 1);
  BASE_CHECK(EVP_DigestInit_ex2(context_.get(), nullptr, nullptr) == 1);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : std::span(raw).first(size)) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.take_hex();
}

}  // namespace templates
