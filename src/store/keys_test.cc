#include "store/keys.h"

#include "tests/support/fresh_store.h"

namespace store {
namespace {

using base::Code;
using support::at;
using support::FailsWith;
using support::FreshStore;

Key some_key(const TeamId& team, int created = 0) {
  return {.id = KeyId::random(),
          .team = team,
          .name = "laptop",
          .scope = Scope::kReadOnly,
          .hash = std::string("\0h", 2) + std::string(30, 'x'),
          .created = at(created),
          .expires = at(100)};
}

TEST(Keys, ReadAsTheyWereWritten) {
  FreshStore store;
  const auto team = store.default_team();
  ASSERT_OK_AND_ASSIGN(const auto user, store->users().create(team, "ada", at(0)));
  auto key = some_key(team, 7);
  key.user = user.id;
  ASSERT_OK(store->keys().insert(key));
  ASSERT_OK_AND_ASSIGN(const auto again, store->keys().get(key.id));
  EXPECT_EQ(again.team, team);
  EXPECT_EQ(again.user, user.id);
  EXPECT_EQ(again.name, "laptop");
  EXPECT_EQ(again.scope, Scope::kReadOnly);
  EXPECT_EQ(again.hash, key.hash);
  EXPECT_EQ(again.created, at(7));
  EXPECT_EQ(again.expires, at(100));
  EXPECT_EQ(again.revoked, std::nullopt);
  EXPECT_EQ(again.last_used, std::nullopt);
}

TEST(Keys, NeedTheirTeamAndAUserOfIt) {
  FreshStore store;
  EXPECT_THAT(store->keys().insert(some_key(TeamId::random())), FailsWith(Code::kNotFound));
  ASSERT_OK_AND_ASSIGN(const auto stranger, store->users().create(store.team("b"), "eve", at(0)));
  auto key = some_key(store.default_team());
  key.user = stranger.id;
  EXPECT_THAT(store->keys().insert(key), FailsWith(Code::kNotFound));
}

TEST(Keys, AreAnothersBusinessInAnotherTeam) {
  FreshStore store;
  const auto other = store.team("other");
  const auto key = some_key(store.default_team());
  ASSERT_OK(store->keys().insert(key));
  EXPECT_OK(store->keys().get(store.default_team(), key.id));
  EXPECT_THAT(store->keys().get(other, key.id), FailsWith(Code::kNotFound));
  EXPECT_THAT(store->keys().revoke(other, key.id, at(1)), FailsWith(Code::kNotFound));
  EXPECT_TRUE(store->keys().list(other, {})->items.empty());
  EXPECT_EQ(store->keys().list(std::nullopt, {})->items.size(), 1U);
}

TEST(Keys, AreRevokedOnce) {
  FreshStore store;
  const auto key = some_key(store.default_team());
  ASSERT_OK(store->keys().insert(key));
  EXPECT_EQ(store->keys().revoke(std::nullopt, key.id, at(1))->revoked, at(1));
  EXPECT_EQ(store->keys().revoke(std::nullopt, key.id, at(2))->revoked, at(1));
}

TEST(Keys, UseIsWrittenAndNeverGoesBack) {
  FreshStore store;
  const auto key = some_key(store.default_team());
  ASSERT_OK(store->keys().insert(key));
  ASSERT_OK(store->keys().mark_used({{key.id, at(9)}, {KeyId::random(), at(9)}}));
  ASSERT_OK(store->keys().mark_used({{key.id, at(5)}}));
  ASSERT_OK(store->keys().mark_used({}));
  EXPECT_EQ(store->keys().get(key.id)->last_used, at(9));
}

TEST(Keys, TheVersionCountsChangesAndNotUses) {
  FreshStore store;
  ASSERT_OK_AND_ASSIGN(auto before, store->keys().version());
  const auto changed = [&] {
    const auto now = *store->keys().version();
    return std::exchange(before, now) != now;
  };
  const auto team = store.team("a");
  EXPECT_FALSE(changed());
  const auto key = some_key(team);
  ASSERT_OK(store->keys().insert(key));
  EXPECT_TRUE(changed());
  ASSERT_OK(store->keys().mark_used({{key.id, at(1)}}));
  EXPECT_FALSE(changed());
  ASSERT_OK(store->keys().revoke(team, key.id, at(1)));
  EXPECT_TRUE(changed());
  ASSERT_OK(store->teams().remove(team));
  EXPECT_TRUE(changed());
}

}  // namespace
}  // namespace store
