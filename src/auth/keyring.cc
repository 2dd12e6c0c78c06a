#include "auth/keyring.h"

#include "auth/key.h"
#include "store/database.h"

namespace auth {

namespace {

// More keys than this in use at once are looked up again: nobody can fill the memory with them.
constexpr std::size_t kMaxKnown = 10'000;

// A key that nobody has is checked like one that somebody has, so that the time taken tells nothing.
const std::string& nobody_s_hash() {
  static const std::string hash(32, '\0');
  return hash;
}

bool is_valid(const store::Key& key, store::Time now) {
  return !key.revoked && (!key.expires || now < *key.expires);
}

}  // namespace

Result<Keyring> Keyring::open(const std::string& database_path) {
  ASSIGN_OR_RETURN(auto database, store::Database::open(database_path, store::Database::Access::kRead));
  return Keyring(std::move(database));
}

Keyring::Keyring(std::unique_ptr<store::Database> database) : database_(std::move(database)) {}
Keyring::Keyring(Keyring&&) noexcept = default;
Keyring::~Keyring() = default;

Result<> Keyring::forget_if_changed() {
  ASSIGN_OR_RETURN(const auto data_version, database_->integer("PRAGMA data_version"));
  if (data_version == data_version_) return {};
  // Anything may have changed, mostly records of sandboxes: keys have a counter of their own.
  ASSIGN_OR_RETURN(const auto keys_version, store::Keys(*database_).version());
  if (keys_version != keys_version_) known_.clear();
  data_version_ = data_version;
  keys_version_ = keys_version;
  return {};
}

Result<std::optional<store::Key>> Keyring::key_of(const store::KeyId& id) {
  if (const auto known = known_.find(id); known != known_.end()) return std::optional(known->second);
  auto key = store::Keys(*database_).get(id);
  if (!key && key.error().code == base::Code::kNotFound) return std::optional<store::Key>();
  if (!key) return std::unexpected(std::move(key).error());
  if (known_.size() >= kMaxKnown) known_.clear();
  known_.emplace(id, *key);
  return std::optional(*std::move(key));
}

Result<std::optional<Principal>> Keyring::authenticate(std::optional<std::string_view> header,
                                                       store::Time now) {
  if (!header) return std::nullopt;
  const auto credential = parse_bearer(*header);
  if (!credential) return std::nullopt;
  RETURN_IF_ERROR(forget_if_changed());
  ASSIGN_OR_RETURN(const auto key, key_of(credential->id));
  const bool matches = same_hash(hash_of_secret(credential->secret), key ? key->hash : nobody_s_hash());
  if (!matches || !key || !is_valid(*key, now)) return std::nullopt;
  uses_.insert_or_assign(key->id, now);
  return std::optional(Principal{.team = key->team, .user = key->user, .key = key->id, .scope = key->scope});
}

std::vector<std::pair<store::KeyId, store::Time>> Keyring::take_uses() {
  std::vector<std::pair<store::KeyId, store::Time>> uses(uses_.begin(), uses_.end());
  uses_.clear();
  return uses;
}

}  // namespace auth
