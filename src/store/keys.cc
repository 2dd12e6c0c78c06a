#include "store/keys.h"

#include "store/cursor.h"
#include "store/database.h"

namespace store {

namespace {

using base::Code;

#define KEY_COLUMNS "id, team, user, name, scope, hash, created, expires, revoked, last_used"

Result<Key> read_key(Row row) {
  ASSIGN_OR_RETURN(auto id, row.id<KeyId>(0));
  ASSIGN_OR_RETURN(auto team, row.id<TeamId>(1));
  ASSIGN_OR_RETURN(auto user, row.maybe_id<UserId>(2));
  ASSIGN_OR_RETURN(const auto scope, parse_scope(row.text(4)));
  return Key{.id = std::move(id),
             .team = std::move(team),
             .user = std::move(user),
             .name = row.text(3),
             .scope = scope,
             .hash = row.text(5),
             .created = row.time(6),
             .expires = row.maybe_time(7),
             .revoked = row.maybe_time(8),
             .last_used = row.maybe_time(9)};
}

std::unexpected<base::Error> no_key(const KeyId& id) {
  return base::fail(Code::kNotFound, "there is no key '" + id.text() + "'");
}

}  // namespace

Result<> Keys::insert(const Key& key) {
  if (!key.name.empty()) RETURN_IF_ERROR(check_name(key.name, "a key"));
  auto done = database_.run("INSERT INTO keys (" KEY_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                            key.id, key.team, key.user, key.name, name_of(key.scope), Blob{key.hash},
                            key.created, key.expires, key.revoked, key.last_used);
  if (done) return {};
  if (done.error().code == Code::kConflict) {
    return base::fail(Code::kNotFound, "the team of the key, or its user in that team, is not there");
  }
  return std::unexpected(std::move(done).error());
}

Result<Key> Keys::get(const KeyId& id) const { return get(std::nullopt, id); }

Result<Key> Keys::get(const std::optional<TeamId>& team, const KeyId& id) const {
  ASSIGN_OR_RETURN(auto found, database_.first("SELECT " KEY_COLUMNS
                                               " FROM keys WHERE id = ?1 AND (?2 IS NULL OR team = ?2)",
                                               read_key, id, team));
  if (!found) return no_key(id);
  return std::move(*found);
}

Result<Page<Key>> Keys::list(const std::optional<TeamId>& team, const PageRequest& page) const {
  ASSIGN_OR_RETURN(const auto start, start_of(page));
  ASSIGN_OR_RETURN(auto rows,
                   database_.all("SELECT " KEY_COLUMNS " FROM keys WHERE (?1 IS NULL OR team = ?1) AND "
                                 "(created, id) < (?2, ?3) ORDER BY created DESC, id DESC LIMIT ?4",
                                 read_key, team, start.created, start.id, page.limit + 1));
  return page_of(std::move(rows), page.limit);
}

Result<Key> Keys::revoke(const std::optional<TeamId>& team, const KeyId& id, Time now) {
  ASSIGN_OR_RETURN(auto key, get(team, id));
  if (key.revoked) return key;
  RETURN_IF_ERROR(database_.run("UPDATE keys SET revoked = ? WHERE id = ? AND revoked IS NULL", now, id));
  return get(team, id);
}

Result<> Keys::mark_used(const std::vector<std::pair<KeyId, Time>>& uses) {
  if (uses.empty()) return {};
  return database_.atomically([&]() -> Result<> {
    for (const auto& [id, time] : uses) {
      RETURN_IF_ERROR(
          database_.run("UPDATE keys SET last_used = max(ifnull(last_used, 0), ?) WHERE id = ?", time, id));
    }
    return {};
  });
}

Result<std::int64_t> Keys::version() const { return database_.integer("SELECT version FROM keys_version"); }

}  // namespace store
