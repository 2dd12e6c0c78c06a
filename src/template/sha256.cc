#include "template/sha256.h"

#include <array>

#include "base/check.h"

namespace templates {

Sha256::Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  BASE_CHECK(context_ != nullptr);
  BASE_CHECK(EVP_DigestInit_ex2(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256::update(std::string_view bytes) {
  BASE_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::take_hex() {
  std::array<unsigned char, 32> raw{};
  BASE_CHECK(EVP_DigestFinal_ex(context_.get(), raw.data(), nullptr) == 1);
  BASE_CHECK(EVP_DigestInit_ex2(context_.get(), nullptr, nullptr) == 1);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : raw) {
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
