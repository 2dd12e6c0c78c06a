// auth: who calls, and what they may do. API keys (key.h), principals and the table of rights (principal.h),
// and the keyring that turns an Authorization header into a principal (keyring.h).
//
// A key is `cove_<id>_<secret>`. The id finds its record; the secret is 32 random bytes, of which the record
// has only the SHA-256. A slow hash is for secrets that people think up: 256 random bits cannot be guessed
// however fast the hash is, and every request is checked. Hashes are compared in constant time.
#pragma once

#include <string>
#include <string_view>

#include "store/records.h"

namespace auth {

using base::Result;

// The two parts of a key's text.
struct Credential {
  store::KeyId id;
  std::string secret;  // 43 characters, URL-safe base64
};

// A new key's text, to be shown once, and what is stored of it.
struct Minted {
  Credential credential;
  std::string text;
  std::string hash;
};
Minted mint_key();

// Exactly cove_<16 letters and digits>_<43 characters>, else nothing.
std::optional<Credential> parse_key(std::string_view text);
// Exactly "Bearer <key>"; the scheme in any case, one blank, nothing behind.
std::optional<Credential> parse_bearer(std::string_view header);
// 32 bytes.
std::string hash_of_secret(std::string_view secret);
// In a time that does not depend on where they differ.
bool same_hash(std::string_view left, std::string_view right);
// What is shown of a key later: "cove_<id>".
std::string display_name(const store::KeyId& id);

}  // namespace auth
