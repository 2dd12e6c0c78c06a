#include "auth/keyring.h"

#include "auth/key.h"
#include "store/database.h"
#include "tests/support/fresh_store.h"

namespace auth {
namespace {

using store::Scope;
using support::at;
using support::FreshStore;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class OnKeyring : public testing::Test {
 protected:
  // The header of a new key.
  std::string add_key(std::optional<store::Time> expires = std::nullopt) {
    const auto minted = mint_key();
    id_ = minted.credential.id;
    EXPECT_OK(store_->keys().insert({.id = *id_,
                                     .team = store_.default_team(),
                                     .name = "",
                                     .scope = Scope::kTeam,
                                     .hash = minted.hash,
                                     .created = at(0),
                                     .expires = expires}));
    return "Bearer " + minted.text;
  }
  bool accepts(const std::string& header, int when = 1) {
    const auto principal = keyring_->authenticate(header, at(when));
    EXPECT_OK(principal);
    return principal->has_value();
  }

  FreshStore store_;
  Result<Keyring> keyring_ = Keyring::open(store_.path());
  std::optional<store::KeyId> id_;
};

TEST_F(OnKeyring, AKeyTellsWhoCalls) {
  const auto header = add_key();
  for (int time = 1; time <= 2; ++time) {
    ASSERT_OK_AND_ASSIGN(const auto principal, keyring_->authenticate(header, at(time)));
    ASSERT_TRUE(principal.has_value());
    EXPECT_EQ(principal->key, id_);
    EXPECT_EQ(principal->team, store_.default_team());
    EXPECT_EQ(principal->user, std::nullopt);
    EXPECT_EQ(principal->scope, Scope::kTeam);
  }
}

TEST_F(OnKeyring, NobodyElseIsAnybody) {
  const auto header = add_key();
  ASSERT_OK_AND_ASSIGN(const auto nobody, keyring_->authenticate(std::nullopt, at(1)));
  EXPECT_FALSE(nobody.has_value());
  EXPECT_FALSE(accepts(""));
  EXPECT_FALSE(accepts("Bearer " + mint_key().text));
  auto other_secret = header;
  other_secret.back() = other_secret.back() == 'A' ? 'B' : 'A';
  EXPECT_FALSE(accepts(other_secret));
  EXPECT_TRUE(accepts(header));
  EXPECT_FALSE(accepts(other_secret));
  EXPECT_FALSE(accepts("Basic" + header.substr(6)));
}

TEST_F(OnKeyring, AKeyEndsWhenItExpires) {
  const auto header = add_key(at(10));
  EXPECT_TRUE(accepts(header, 9));
  EXPECT_FALSE(accepts(header, 10));
}

TEST_F(OnKeyring, ARevokedKeyIsRefusedByTheNextRequest) {
  const auto header = add_key();
  EXPECT_TRUE(accepts(header));
  ASSERT_OK(store_->keys().revoke(std::nullopt, *id_, at(1)));
  EXPECT_FALSE(accepts(header));
}

TEST_F(OnKeyring, AKeyGoesWithItsUser) {
  const auto team = store_.default_team();
  ASSERT_OK_AND_ASSIGN(const auto user, store_->users().create(team, "ada", at(0)));
  const auto minted = mint_key();
  ASSERT_OK(store_->keys().insert({.id = minted.credential.id,
                                   .team = team,
                                   .user = user.id,
                                   .name = "",
                                   .scope = Scope::kAdmin,
                                   .hash = minted.hash,
                                   .created = at(0)}));
  EXPECT_TRUE(accepts("Bearer " + minted.text));
  ASSERT_OK(store_->users().remove(team, user.id));
  EXPECT_FALSE(accepts("Bearer " + minted.text));
}

TEST_F(OnKeyring, AKeyMadeLaterIsKnown) {
  EXPECT_TRUE(accepts(add_key()));
  EXPECT_TRUE(accepts(add_key()));
}

TEST_F(OnKeyring, OtherChangesDoNotMakeItForget) {
  const auto header = add_key();
  EXPECT_TRUE(accepts(header));
  // Changed behind the counter's back: whoever looks it up again would see it.
  ASSERT_OK_AND_ASSIGN(const auto database,
                       store::Database::open(store_.path(), store::Database::Access::kWrite));
  ASSERT_OK(database->script("DROP TRIGGER keys_changed; UPDATE keys SET revoked = 1;"));
  EXPECT_TRUE(accepts(header));
  ASSERT_OK(store_->teams().create("a", at(0)));
  EXPECT_TRUE(accepts(header));
  add_key();
  EXPECT_FALSE(accepts(header));
}

TEST_F(OnKeyring, UsesAreToldOnceWithTheLast) {
  const auto header = add_key();
  EXPECT_TRUE(accepts(header, 3));
  EXPECT_TRUE(accepts(header, 4));
  EXPECT_FALSE(accepts("Bearer " + mint_key().text, 5));
  EXPECT_THAT(keyring_->take_uses(), ElementsAre(Pair(*id_, at(4))));
  EXPECT_THAT(keyring_->take_uses(), IsEmpty());
}

TEST_F(OnKeyring, AWriterDoesNotHoldItUp) {
  const auto header = add_key();
  ASSERT_OK(store_->atomically([&]() -> base::Result<> {
    RETURN_IF_ERROR(store_->keys().revoke(std::nullopt, *id_, at(1)));
    // Not there until it is committed.
    EXPECT_TRUE(accepts(header));
    return {};
  }));
  EXPECT_FALSE(accepts(header));
}

}  // namespace
}  // namespace auth
