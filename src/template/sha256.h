#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

namespace templates {

// The hash of a stream of bytes. Only exhausted memory can make it fail, and that aborts.
class Hash {
 public:
  explicit Hash(const EVP_MD* kind);
  void update(std::string_view bytes);
  // Lower-case hex digits; the object starts afresh.
  std::string take_hex();

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

class Sha256 : public Hash {
 public:
  Sha256() : Hash(EVP_sha256()) {}
};

std::string sha256_hex(std::string_view bytes);

}  // namespace templates
