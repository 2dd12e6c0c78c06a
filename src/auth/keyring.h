#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/principal.h"
#include "store/keys.h"

namespace store {
class Database;
}

namespace auth {

using base::Result;

// Turns an Authorization header into a principal, for each request. It has a connection of its own to the
// database, only reads, and remembers keys: while nothing changes, a request asks SQLite for its change
// counter and no more (microseconds, no wait for writers), so it is called on the event loop. A key that is
// revoked, by whatever process, is refused by the next request.
//
// Owned by one thread.
class Keyring {
 public:
  // Of a file that store::Store::open has made.
  static Result<Keyring> open(const std::string& database_path);
  Keyring(Keyring&&) noexcept;
  ~Keyring();

  // Nothing when there is no header, or it is malformed, or the key is unknown, expired or revoked: one
  // answer for all (401). An error means that the database cannot be read.
  Result<std::optional<Principal>> authenticate(std::optional<std::string_view> header, store::Time now);

  // Keys used since the last call, with their last use: for Keys::mark_used, every minute or so.
  std::vector<std::pair<store::KeyId, store::Time>> take_uses();

 private:
  explicit Keyring(std::unique_ptr<store::Database> database);
  Result<> forget_if_changed();
  Result<std::optional<store::Key>> key_of(const store::KeyId& id);

  std::unique_ptr<store::Database> database_;
  std::int64_t data_version_ = -1;
  std::int64_t keys_version_ = -1;
  std::map<store::KeyId, store::Key> known_;
  std::map<store::KeyId, store::Time> uses_;
};

}  // namespace auth
