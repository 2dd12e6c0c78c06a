#include "http/target.h"

#include <gtest/gtest.h>

#include <array>

namespace http {
namespace {

using Segments = std::vector<std::string>;

Segments segments(std::string_view text) {
  const auto target = parse_target(text);
  return target ? target->segments : Segments{"REFUSED"};
}

TEST(Target, SegmentsAreDecodedAfterTheyAreSplit) {
  EXPECT_EQ(segments("/"), Segments{""});
  EXPECT_EQ(segments("/v1/a%2Fb"), (Segments{"v1", "a/b"}));
  EXPECT_EQ(segments("/a/"), (Segments{"a", ""}));
  EXPECT_EQ(segments("/a//b?c/d"), (Segments{"a", "", "b"}));
  EXPECT_EQ(segments("/%2e%2E/+"), (Segments{"..", "+"}));
  EXPECT_EQ(segments("/%C3%BC"), (Segments{"\xc3\xbc"}));
}

TEST(Target, RefusesWhatIsNoPath) {
  for (const auto* wrong :
       {"", "a", "*", "http://a/", "/%", "/%4", "/%4g", "/a%00", "/\x80", "/a b", "/a#b", "/\x7f"})
    EXPECT_EQ(segments(wrong), Segments{"REFUSED"}) << wrong;
}

TEST(Target, QueryIsDecoded) {
  const auto target = parse_target("/x?a=1+2&b=%26%3d&c&&=d&a=3");
  ASSERT_TRUE(target.has_value());
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(target->query, (Pairs{{"a", "1 2"}, {"b", "&="}, {"c", ""}, {"", "d"}, {"a", "3"}}));
  EXPECT_EQ(query_value(*target, "a"), "1 2");
  EXPECT_EQ(query_value(*target, "z"), std::nullopt);
  EXPECT_EQ(target->raw_path, "/x");
}

TEST(Target, QueryIsCheckedAgainstWhatIsKnown) {
  constexpr std::array<std::string_view, 2> kKnown = {"limit", "cursor"};
  const auto check = [&](std::string_view text) {
    return check_query(*parse_target(text), kKnown).has_value();
  };
  EXPECT_TRUE(check("/x"));
  EXPECT_TRUE(check("/x?cursor=a&limit=1"));
  EXPECT_FALSE(check("/x?limit=1&limit=2"));
  EXPECT_FALSE(check("/x?limits=1"));
  EXPECT_FALSE(check("/x?limit=%"));
}

TEST(Target, NumbersAreDigitsAlone) {
  EXPECT_EQ(*parse_number("0", "x"), 0U);
  EXPECT_EQ(*parse_number("18446744073709551615", "x"), 18446744073709551615U);
  for (const auto* wrong : {"", "-1", "+1", " 1", "1 ", "1.0", "0x1", "18446744073709551616"})
    EXPECT_FALSE(parse_number(wrong, "x")) << wrong;
}

TEST(Target, EncodingIsUndoneByDecoding) {
  EXPECT_EQ(percent_encode("a/b c\xff~"), "a%2Fb%20c%FF~");
  EXPECT_EQ(segments("/" + percent_encode("a/b c~")), Segments{"a/b c~"});
}

}  // namespace
}  // namespace http
