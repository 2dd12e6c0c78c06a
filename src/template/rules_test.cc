#include "template/rules.h"

#include <gtest/gtest.h>

namespace templates {
namespace {

TEST(Rules, PlainTextIsUtf8WithoutControlCharacters) {
  for (const std::string_view good : {"", "a b~", "\u00e9\u00a0", "\u20ac", "\U0001f40d", "\U0010ffff"}) {
    EXPECT_TRUE(is_plain_text(good)) << good;
  }
  using std::string_view_literals::operator""sv;
  for (const std::string_view bad : {
           "\0"sv, "\n"sv, "\x1b[2J"sv, "\x7f"sv,         // control characters
           "\xc2\x80"sv, "\xc2\x9b"sv, "\x9b"sv,          // those above 127, and as a single byte
           "\xff"sv, "a\x80"sv, "\xc3"sv, "\xe2\x82"sv,   // no beginning, no end
           "\xc0\xaf"sv, "\xc1\xbf"sv, "\xe0\x9f\xbf"sv,  // longer than need be
           "\xf0\x8f\xbf\xbf"sv,                          //
           "\xed\xa0\x80"sv, "\xf4\x90\x80\x80"sv, "\xf8\x88\x80\x80\x80"sv,  // surrogates, beyond the end
       }) {
    EXPECT_FALSE(is_plain_text(bad));
    EXPECT_TRUE(is_plain_text(printable(bad))) << printable(bad);
  }
}

TEST(Rules, WhatIsPrintedIsPlainTextOfBoundedLength) {
  EXPECT_EQ(printable("a\x1b[31m\xffz"), "a?[31m?z");
  EXPECT_EQ(printable("\u00e9t\u00e9"), "\u00e9t\u00e9");
  EXPECT_EQ(printable("abcdef", 3), "abc…");
  EXPECT_EQ(printable("ab\u20ac", 4), "ab…") << "a character is not cut in two";
  EXPECT_TRUE(is_plain_text(printable(std::string(1000, '\xe2'))));
}

}  // namespace
}  // namespace templates
