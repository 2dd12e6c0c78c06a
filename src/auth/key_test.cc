#include "auth/key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace auth {
namespace {

TEST(Key, ReadsAsItWasMade) {
  const auto minted = mint_key();
  const auto credential = parse_bearer("Bearer " + minted.text);
  ASSERT_TRUE(credential.has_value());
  EXPECT_EQ(credential->id, minted.credential.id);
  EXPECT_EQ(credential->secret, minted.credential.secret);
  EXPECT_EQ(minted.hash, hash_of_secret(credential->secret));
  EXPECT_TRUE(minted.text.starts_with(display_name(minted.credential.id) + "_"));
  EXPECT_THAT(minted.text, testing::MatchesRegex("cove_[a-z0-9]{16}_[A-Za-z0-9_-]{43}"));
}

TEST(Key, IsNeverMadeTwice) {
  std::set<std::string> secrets;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(secrets.insert(mint_key().credential.secret).second);
}

TEST(Key, WhatIsKeptOfItDoesNotTellIt) {
  const auto minted = mint_key();
  EXPECT_EQ(minted.hash.size(), 32U);
  EXPECT_EQ(minted.hash.find(minted.credential.secret.substr(0, 8)), std::string::npos);
}

TEST(Key, TheSchemeIsReadInAnyCase) {
  const auto text = mint_key().text;
  for (const char* scheme : {"Bearer ", "bearer ", "BEARER "})
    EXPECT_TRUE(parse_bearer(scheme + text)) << scheme;
}

TEST(Key, WhatIsNotExactlyAHeaderIsRefused) {
  const auto text = mint_key().text;
  const std::string good = "Bearer " + text;
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(parse_bearer(good.substr(0, size))) << size;
  for (const std::string& bad :
       {text, "Bearer" + text, "Bearer  " + text, " " + good, good + " ", good + "\n", good + ", " + good,
        "Basic " + text, "Bearer\t" + text, "Bearer COVE" + text.substr(4), good + std::string(1, '\0'),
        std::string(1 << 20, 'a')}) {
    EXPECT_FALSE(parse_bearer(bad)) << bad.substr(0, 100);
  }
  for (std::size_t place = 0; place < good.size(); ++place) {
    for (const char c : {'\0', ' ', '=', '/', '\xc3'}) {
      auto bad = good;
      if (bad[place] == c) continue;
      bad[place] = c;
      EXPECT_FALSE(parse_bearer(bad)) << bad;
    }
  }
}

TEST(Key, HashesAreComparedWhole) {
  const auto hash = hash_of_secret("a");
  EXPECT_TRUE(same_hash(hash, hash_of_secret("a")));
  EXPECT_FALSE(same_hash(hash, hash_of_secret("b")));
  EXPECT_FALSE(same_hash(hash, hash.substr(1)));
  EXPECT_FALSE(same_hash(hash, ""));
}

}  // namespace
}  // namespace auth
