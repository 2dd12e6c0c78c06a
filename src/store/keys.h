#pragma once

#include <utility>

#include "store/records.h"

namespace store {

class Database;

// API keys, as hashes. Keys are revoked, and stay to be seen, until their team or user goes.
class Keys {
 public:
  explicit Keys(Database& database) : database_(database) {}

  // kNotFound when the user is not of the team.
  Result<> insert(const Key& key);
  // Of any team: for whoever knows a key only by its text.
  Result<Key> get(const KeyId& id) const;
  // kNotFound when it is another team's; nothing as `team` means any.
  Result<Key> get(const std::optional<TeamId>& team, const KeyId& id) const;
  Result<Page<Key>> list(const std::optional<TeamId>& team, const PageRequest& page) const;
  // Revoking what is revoked keeps the first time.
  Result<Key> revoke(const std::optional<TeamId>& team, const KeyId& id, Time now);
  // When keys were last used, all in one write.
  Result<> mark_used(const std::vector<std::pair<KeyId, Time>>& uses);

  // Changes whenever a key is made, revoked or goes; not when it is used.
  Result<std::int64_t> version() const;

 private:
  Database& database_;
};

}  // namespace store
