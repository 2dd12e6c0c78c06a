#include "auth/key.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

#include "base/check.h"

namespace auth {

namespace {

constexpr std::string_view kPrefix = "cove_";
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kSecretLength = 43;  // of base64 without padding
constexpr std::size_t kKeyLength = kPrefix.size() + store::KeyId::kLength + 1 + kSecretLength;
constexpr std::string_view kScheme = "bearer ";

bool is_url_safe(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string new_secret() {
  std::array<unsigned char, kSecretBytes> bytes{};
  BASE_CHECK(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  std::array<unsigned char, 64> encoded{};
  EVP_EncodeBlock(encoded.data(), bytes.data(), static_cast<int>(bytes.size()));
  std::string secret(encoded.begin(), encoded.begin() + kSecretLength);
  std::replace(secret.begin(), secret.end(), '+', '-');
  std::replace(secret.begin(), secret.end(), '/', '_');
  return secret;
}

}  // namespace

Minted mint_key() {
  Credential credential{.id = store::KeyId::random(), .secret = new_secret()};
  std::string text = display_name(credential.id) + "_" + credential.secret;
  std::string hash = hash_of_secret(credential.secret);
  return {.credential = std::move(credential), .text = std::move(text), .hash = std::move(hash)};
}

std::optional<Credential> parse_key(std::string_view text) {
  // The secret may hold _ too, so that places count and not separators.
  if (text.size() != kKeyLength || !text.starts_with(kPrefix)) return std::nullopt;
  auto id = store::KeyId::parse(text.substr(kPrefix.size(), store::KeyId::kLength));
  const auto secret = text.substr(kKeyLength - kSecretLength);
  if (!id || text[kKeyLength - kSecretLength - 1] != '_') return std::nullopt;
  if (!std::all_of(secret.begin(), secret.end(), is_url_safe)) return std::nullopt;
  return Credential{.id = *std::move(id), .secret = std::string(secret)};
}

std::optional<Credential> parse_bearer(std::string_view header) {
  if (header.size() != kScheme.size() + kKeyLength) return std::nullopt;
  const auto scheme = header.substr(0, kScheme.size());
  if (!std::equal(scheme.begin(), scheme.end(), kScheme.begin(),
                  [](char a, char b) { return lower(a) == b; })) {
    return std::nullopt;
  }
  return parse_key(header.substr(kScheme.size()));
}

std::string hash_of_secret(std::string_view secret) {
  std::array<unsigned char, 32> digest{};
  unsigned size = 0;
  BASE_CHECK(EVP_Digest(secret.data(), secret.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1);
  BASE_CHECK(size == digest.size());
  return {digest.begin(), digest.end()};
}

bool same_hash(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

std::string display_name(const store::KeyId& id) { return std::string(kPrefix) + id.text(); }

}  // namespace auth
