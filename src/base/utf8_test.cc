#include "base/utf8.h"

#include <gtest/gtest.h>

namespace base {
namespace {

using Kind = Utf8::Kind;

void expect(std::string_view bytes, Kind kind, std::size_t size, std::uint32_t value = 0) {
  const auto read = first_character(bytes);
  EXPECT_EQ(read.kind, kind) << bytes;
  EXPECT_EQ(read.size, size) << bytes;
  EXPECT_EQ(read.value, value) << bytes;
}

TEST(Utf8, ACharacterIsReadWhole) {
  expect("ab", Kind::kWhole, 1, 'a');
  expect({"\0", 1}, Kind::kWhole, 1, 0);
  expect("\u00fcx", Kind::kWhole, 2, 0xfc);
  expect("\u20ac", Kind::kWhole, 3, 0x20ac);
  expect("\U0010FFFF", Kind::kWhole, 4, 0x10ffff);
}

TEST(Utf8, OneWhoseRestMayComeIsCut) {
  expect("\xC3", Kind::kCut, 1);
  expect("\xE2\x82", Kind::kCut, 2);
  expect("\xF0\x9F\x90", Kind::kCut, 3);
}

TEST(Utf8, WhatIsNoCharacterIsBadAndSoLong) {
  expect("\x80", Kind::kBad, 1);
  expect("\xFF", Kind::kBad, 1);
  expect("\xC0\x80", Kind::kBad, 1);
  expect("\xE2\x82z", Kind::kBad, 2);
  expect("\xE0\x80", Kind::kBad, 1);
  expect("\xED\xA0\x80", Kind::kBad, 1);
  expect("\xF4\x90\x80\x80", Kind::kBad, 1);
}

}  // namespace
}  // namespace base
