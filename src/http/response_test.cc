#include "http/response.h"

#include <gtest/gtest.h>

namespace http {
namespace {

TEST(Response, AProblemHasTheShapeOfTheApi) {
  const auto response = problem_response({404, "not_found", "no \"x\"\n", "look \xff elsewhere"});
  EXPECT_EQ(response.status, 404U);
  EXPECT_EQ(response.body,
            "{\"error\":{\"code\":\"not_found\",\"message\":\"no \\\"x\\\"\\u000a\",\"hint\":\"look "
            "\xef\xbf\xbd elsewhere\","
            "\"details\":{}}}");
}

TEST(Response, AnEventStaysOneEvent) {
  EXPECT_EQ(sse_event({"7", "stdout", "a"}), "id: 7\nevent: stdout\ndata: a\n\n");
  EXPECT_EQ(sse_event({.data = "a\nb\r\n\rc\n"}), "data: a\ndata: b\ndata: \ndata: c\ndata: \n\n");
  EXPECT_EQ(sse_event({}), "data: \n\n");
  EXPECT_EQ(sse_comment("still here"), ": still here\n\n");
}

TEST(Response, HeadersAreOneLine) {
  EXPECT_TRUE(is_token("X-Name"));
  EXPECT_TRUE(is_field_value("any thing\t\xc3\xbc"));
  for (const auto* wrong : {"", "a b", "a:", "a\r", "\xc3"}) EXPECT_FALSE(is_token(wrong));
  for (const auto* wrong : {"a\r\nb", "\n", "\x7f", "\x01"}) EXPECT_FALSE(is_field_value(wrong));
}

}  // namespace
}  // namespace http
