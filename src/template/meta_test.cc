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

TEST(Meta, TheDigestCoversUserAndEnvironment) {
  const auto meta = sample();
  const auto plain = template_digest("t", meta.user, meta.environment);
  EXPECT_NE(plain, template_digest("u", meta.user, meta.environment));
  EXPECT_NE(plain, template_digest("t", {.name = "eve"}, meta.environment));
  EXPECT_NE(plain, template_digest("t", meta.user, {{"LD_PRELOAD", "/x"}}));
}

}  // namespace
}  // namespace templates
