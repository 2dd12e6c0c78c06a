#include "engine/bundle.h"

#include <boost/json/parse.hpp>

#include "tests/support/result.h"

namespace engine {
namespace {

using support::FailsSaying;

TEST(Bundle, HasItsTextAndItsBytes) {
  const std::string head = R"({"type": "display", "x": {"bytes": [1, 3]}})";
  const std::string payload = std::to_string(head.size()) + "\n" + head + std::string("ab\0c", 4);
  ASSERT_OK_AND_ASSIGN(const auto bundle, Bundle::parse(payload));
  EXPECT_EQ(bundle.head().at("type").as_string(), "display");
  EXPECT_EQ(bundle.bytes_of(bundle.head().at("x")).value(), std::string_view("b\0c", 3));
}

TEST(Bundle, BytesThatAreNotThereAreRefused) {
  ASSERT_OK_AND_ASSIGN(const auto bundle, Bundle::parse("2\n{}abc"));
  for (const char* place :
       {R"({"bytes": [0, 4]})", R"({"bytes": [4, 0]})", R"({"bytes": [-1, 1]})", R"({"bytes": [1, -1]})",
        R"({"bytes": [9223372036854775807, 1]})", R"({"bytes": [18446744073709551615, 1]})",
        R"({"bytes": [0.5, 1]})", R"({"bytes": [1]})", R"({"bytes": 1})", R"({"bytes": [0, 1], "more": 1})",
        R"("text")", "null"}) {
    EXPECT_THAT(bundle.bytes_of(boost::json::parse(place)), FailsSaying("malformed")) << place;
  }
  EXPECT_EQ(bundle.bytes_of(boost::json::parse(R"({"bytes": [3, 0]})")).value(), "");
}

TEST(Bundle, WhatIsNoBundleIsRefused) {
  for (const std::string& payload :
       {std::string(), std::string("\n{}"), std::string("2{}"), std::string("3\n{}"), std::string("-1\n{}"),
        std::string("1\n{}"), std::string("2\n[]"), std::string("99999999999999999999\n{}"),
        std::string("2 \n{}"), std::string("400\n") + std::string(200, '[') + std::string(200, ']')}) {
    EXPECT_THAT(Bundle::parse(payload), FailsSaying("malformed")) << payload;
  }
}

}  // namespace
}  // namespace engine
