#include "api/terminal_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace api {
namespace {

using testing::HasSubstr;

std::string complaint_about(std::string_view text) {
  const auto parsed = parse_resize(text);
  return parsed ? "" : parsed.error().message;
}

TEST(TerminalView, TakesANewSize) {
  const auto window = parse_resize(R"({"type": "resize", "rows": 50, "columns": 1000})");
  ASSERT_TRUE(window) << window.error().message;
  EXPECT_EQ(window->rows, 50);
  EXPECT_EQ(window->columns, 1000);
}

TEST(TerminalView, RefusesWordsThatItDoesNotKnow) {
  EXPECT_THAT(complaint_about("hello"), HasSubstr("no JSON"));
  EXPECT_THAT(complaint_about("{}"), HasSubstr("'type' is missing"));
  EXPECT_THAT(complaint_about(R"({"type": "close", "rows": 1, "columns": 1})"), HasSubstr("'type'"));
  EXPECT_THAT(complaint_about(R"({"type": "resize", "rows": 1})"), HasSubstr("'columns' is missing"));
  EXPECT_THAT(complaint_about(R"({"type": "resize", "rows": 0, "columns": 1})"), HasSubstr("'rows'"));
  EXPECT_THAT(complaint_about(R"({"type": "resize", "rows": 1.5, "columns": 1})"), HasSubstr("'rows'"));
  EXPECT_THAT(complaint_about(R"({"type": "resize", "rows": 1, "columns": 65537})"), HasSubstr("'columns'"));
  EXPECT_THAT(complaint_about(R"({"type": "resize", "rows": 1, "columns": 1, "x": 1})"), HasSubstr("'x'"));
  EXPECT_THAT(complaint_about(std::string(5000, ' ')), HasSubstr("too long"));
}

TEST(TerminalView, ASizeMayBeLeftOutWhereThereIsAnother) {
  const boost::json::object body{{"rows", 7}};
  Fields fields(body);
  const auto window = read_window(fields, wire::init::Window{.rows = 24, .columns = 80});
  EXPECT_TRUE(fields.check());
  EXPECT_EQ(window.rows, 7);
  EXPECT_EQ(window.columns, 80);
}

}  // namespace
}  // namespace api
