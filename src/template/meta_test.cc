#include "template/meta.h"

#include <gtest/gtest.h>

namespace templates {
namespace {

Meta sample() {
  return {.name = "base",
          .digest = std::string(64, 'a'),
          .recipe = std::string(64, 'b'),
          .suite = "trixie",
          .created = "2026-01-31T12:00:00Z",
          .version = "0.1.0",
          .bytes = 5,
          .entries = 2,
          .user = {},
          .environment = {{"LANG", "C.UTF-8"}, {"EMPTY", ""}}};
}

TEST(Meta, ComesBackAsItWasWritten) {
  const auto text = format_meta(sample());
  const auto meta = parse_meta(text);
  ASSERT_TRUE(meta) << meta.error().message;
  EXPECT_EQ(format_meta(*meta), text);
}

TEST(Meta, RefusesAnyOtherText) {
  const auto good = format_meta(sample());
  EXPECT_FALSE(parse_meta(""));
  EXPECT_FALSE(parse_meta(good.substr(0, good.size() - 1)));
  EXPECT_FALSE(parse_meta(good + "extra = 1\n"));
  EXPECT_FALSE(parse_meta(good + "name = again\n"));
  EXPECT_FALSE(parse_meta(good + "environment = LANG=twice\n"));
  EXPECT_FALSE(parse_meta(good + "environment = A=\x1b[0m\n"));
  EXPECT_FALSE(parse_meta(good.substr(good.find('\n') + 1)));
  EXPECT_FALSE(parse_meta(good + "environment = " + std::string(kMaxMetaBytes, 'A') + "=x\n"));
}

TEST(Meta, RefusesWhatNoRecipeCouldSay) {
  const auto refused = [](void (*edit)(Meta&)) {
    auto meta = sample();
    edit(meta);
    return !parse_meta(format_meta(meta));
  };
  EXPECT_FALSE(refused([](Meta&) {}));
  EXPECT_TRUE(refused([](Meta& meta) { meta.user.name = "root"; }));
  EXPECT_TRUE(refused([](Meta& meta) { meta.user.home = "/home/a:/bin/sh"; }));
  EXPECT_TRUE(refused([](Meta& meta) { meta.user.home = "/home/../etc"; }));
  EXPECT_TRUE(refused([](Meta& meta) { meta.user.home = "/etc"; }));
  // Shown by `cove template list`: nothing that a terminal obeys, and nothing that JSON cannot hold.
  EXPECT_TRUE(refused([](Meta& meta) { meta.created = "\u009b2J"; }));
  EXPECT_TRUE(refused([](Meta& meta) { meta.version = "1\u202e"; }));
  EXPECT_TRUE(refused([](Meta& meta) { meta.environment = {{"A", "\u009b2J"}}; }));
  EXPECT_TRUE(refused([](Meta& meta) { meta.environment = {{"A", "\xff"}}; }));
  EXPECT_FALSE(refused([](Meta& meta) { meta.environment = {{"A", "\u00e9 = \u20ac"}}; }));
}

TEST(Meta, TheDigestCoversUserAndEnvironment) {
  const auto meta = sample();
  const auto plain = template_digest("t", meta.user, meta.environment);
  EXPECT_NE(plain, template_digest("u", meta.user, meta.environment));
  EXPECT_NE(plain, template_digest("t", {.name = "eve"}, meta.environment));
  EXPECT_NE(plain, template_digest("t", meta.user, {{"LD_PRELOAD", "/x"}}));
}

}  // namespace
}  // namespace templates
