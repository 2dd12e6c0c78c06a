#include "store/cursor.h"

#include "tests/support/fresh_store.h"

namespace store {
namespace {

using base::Code;
using support::at;
using support::FailsWith;

TEST(Cursor, ReadsAsItWasWritten) {
  const Position place{.created = at(12), .id = SandboxId::random().text()};
  ASSERT_OK_AND_ASSIGN(const auto again, parse_cursor(cursor_of(place)));
  EXPECT_EQ(again.created, place.created);
  EXPECT_EQ(again.id, place.id);
}

TEST(Cursor, WhatIsNotExactlyOneIsRefused) {
  const std::string good = cursor_of({.created = at(12), .id = SandboxId::random().text()});
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THAT(parse_cursor(good.substr(0, size)), FailsWith(Code::kInvalid));
  }
  for (std::size_t place = 0; place < good.size(); ++place) {
    for (const char c : {'-', 'Z', '\0', ' ', '\'', '\xff'}) {
      auto bad = good;
      bad[place] = c;
      EXPECT_THAT(parse_cursor(bad), FailsWith(Code::kInvalid)) << bad;
    }
  }
  EXPECT_THAT(parse_cursor(good + "0"), FailsWith(Code::kInvalid));
  EXPECT_THAT(parse_cursor(std::string(1 << 20, '0')), FailsWith(Code::kInvalid));
}

}  // namespace
}  // namespace store
