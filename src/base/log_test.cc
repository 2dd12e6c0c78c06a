#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Lines instead of a descriptor, and a clock that stands still until it is told.
struct Book {
  std::vector<std::string> lines;
  std::chrono::system_clock::time_point now{std::chrono::milliseconds(1'700'000'000'042)};
  Log log{[this](std::string_view line) { lines.emplace_back(line); }, LogLevel::kInfo,
          [this] { return now; }};
};

TEST(Log, ALineIsOneObjectWithTimeLevelAndEvent) {
  Book book;
  book.log.info("sandbox_created", {{"sandbox", "ab12"}, {"ms", 7}, {"warm", true}, {"load", 0.5}});
  EXPECT_THAT(
      book.lines,
      ElementsAre("{\"time\":\"2023-11-14T22:13:20.042Z\",\"level\":\"info\",\"event\":\"sandbox_created\","
                  "\"sandbox\":\"ab12\",\"ms\":7,\"warm\":true,\"load\":0.5}\n"));
}

TEST(Log, NoByteOfAValueCanEndTheLineOrReachATerminal) {
  Book book;
  book.log.warning("said", {{"text", std::string_view("a\"b\\c\nd\r\x1b]0;x\x07\x7f\0e\xff", 18)}});
  EXPECT_THAT(book.lines.at(0), HasSubstr(R"("a\"b\\c\nd\u000d\u001b]0;x\u0007\u007f\u0000e\ufffd")"));
}

TEST(Log, CharactersBeyondAsciiAreEscaped) {
  std::string out;
  append_json_string(out, "\u00e9\u202e\U0001f600");
  EXPECT_EQ(out, R"("\u00e9\u202e\ud83d\ude00")");
}

TEST(Log, ANumberThatJsonLacksIsNull) {
  Book book;
  book.log.info("x", {{"n", std::numeric_limits<double>::infinity()}});
  EXPECT_THAT(book.lines.at(0), HasSubstr("\"n\":null"));
}

TEST(Log, WhatIsBelowTheLevelIsNotWritten) {
  Book book;
  book.log.debug("detail");
  EXPECT_TRUE(book.lines.empty());
}

TEST(Log, AnEventThatComesTooOftenIsHeldBackAndCounted) {
  Book book;
  for (std::uint32_t i = 0; i < Log::kPerSecond + 5; ++i) book.log.info("flood");
  book.log.info("other");
  EXPECT_EQ(book.lines.size(), Log::kPerSecond + 1);
  book.now += std::chrono::seconds(1);
  book.log.info("flood");
  book.log.info("flood");
  EXPECT_THAT(book.lines.at(Log::kPerSecond + 1), HasSubstr("\"suppressed\":5}"));
  EXPECT_THAT(book.lines.back(), Not(HasSubstr("suppressed")));
}

TEST(Log, ALongTextIsCut) {
  Book book;
  book.log.info("x", {{"text", std::string(Log::kMostText * 4, 'y')}});
  EXPECT_LT(book.lines.at(0).size(), Log::kMostText + 200);
  EXPECT_THAT(book.lines.at(0), HasSubstr("y\\u2026\""));
}

}  // namespace
}  // namespace base
