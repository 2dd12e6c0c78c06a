#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

namespace templates {

// SHA-256 of a stream of bytes. Only exhausted memory can make it fail, and that aborts.
class Sha256 {
 public:
  Sha256();
  void update(std::string_view bytes);
  // 64 lower-case hex digits; the object starts afresh.
  std::string take_hex();

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace templates
