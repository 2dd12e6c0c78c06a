#include "api/strict_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace api {
namespace {

using testing::HasSubstr;

std::string complaint_about(std::string_view text) {
  const auto parsed = parse_object(text);
  return parsed ? "" : parsed.error().message;
}

TEST(StrictJson, TakesAnObject) {
  const auto parsed = parse_object(R"( {"a": {"b": [1, "é"]}, "b": null} )");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->size(), 2U);
}

TEST(StrictJson, RefusesANameThatComesTwiceAtAnyDepth) {
  EXPECT_THAT(complaint_about(R"({"a": 1, "a": 2})"), HasSubstr("'a' twice"));
  EXPECT_THAT(complaint_about(R"({"x": [{"a": 1, "\u0061": 2}]})"), HasSubstr("'a' twice"));
  EXPECT_EQ(complaint_about(R"({"a": {"a": 1}, "b": {"a": 1}})"), "");
}

TEST(StrictJson, RefusesWhatTwoReadersMightReadDifferently) {
  EXPECT_THAT(complaint_about(""), HasSubstr("empty"));
  EXPECT_THAT(complaint_about("[]"), HasSubstr("object"));
  EXPECT_THAT(complaint_about("{} {}"), HasSubstr("no JSON"));
  EXPECT_THAT(complaint_about("\xEF\xBB\xBF{}"), HasSubstr("no JSON"));
  EXPECT_THAT(complaint_about("{\"a\": \"\xff\"}"), HasSubstr("no JSON"));
  EXPECT_THAT(complaint_about(R"({"a": NaN})"), HasSubstr("no JSON"));
  EXPECT_THAT(complaint_about(R"({"a": 1,})"), HasSubstr("no JSON"));
  EXPECT_THAT(complaint_about("{} // x"), HasSubstr("no JSON"));
}

TEST(StrictJson, RefusesWhatIsTooDeep) {
  const std::string deep = "{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_THAT(complaint_about(deep), HasSubstr("no JSON"));
}

}  // namespace
}  // namespace api
