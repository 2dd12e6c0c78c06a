#include "base/text_of_bytes.h"

#include <gtest/gtest.h>

namespace base {
namespace {

std::string all(std::string_view bytes) {
  TextOfBytes text;
  const std::string taken = text.take(bytes);
  return taken + text.rest();
}

TEST(TextOfBytes, WhatIsTextStaysAsItIs) {
  for (const std::string_view text :
       {"", "plain\n", "gr\u00fc\u00dfe", "\u20ac", "\U0001F40D snake", "\uFFFD"}) {
    EXPECT_EQ(all(text), text);
  }
}

TEST(TextOfBytes, ACharacterMayComeInPieces) {
  const std::string_view snake = "\U0001F40D!";
  TextOfBytes text;
  std::string out;
  for (const char byte : snake) {
    const std::string piece = text.take({&byte, 1});
    EXPECT_TRUE(piece.empty() || piece.size() == 4 || piece == "!");
    out += piece;
  }
  EXPECT_EQ(out + text.rest(), snake);
}

TEST(TextOfBytes, WhatIsNoTextIsMarkedAndLosesNothingBeside) {
  EXPECT_EQ(all("a\xFF z"), "a\uFFFD z");
  EXPECT_EQ(all("a\xC3"), "a\uFFFD");
  EXPECT_EQ(all("a\xE2\x82z"), "a\uFFFDz");
  EXPECT_EQ(all("\xC0\x80"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(all("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // half of a pair
  EXPECT_EQ(all("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(all("\x80\xBF"), "\uFFFD\uFFFD");
}

}  // namespace
}  // namespace base
