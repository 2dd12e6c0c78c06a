#include "api/clock.h"

#include <gtest/gtest.h>

namespace api {
namespace {

store::Time at(std::int64_t milliseconds) { return store::Time(std::chrono::milliseconds(milliseconds)); }

TEST(Clock, TellsTimesToTheMillisecond) {
  EXPECT_EQ(text_of(at(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(text_of(at(1'234)), "1970-01-01T00:00:01.234Z");
}

TEST(Clock, TellsTimesBefore1970) {
  EXPECT_EQ(text_of(at(-1)), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(text_of(at(-1'000)), "1969-12-31T23:59:59.000Z");
}

TEST(Clock, ReadsWhatItTells) {
  for (const std::int64_t time : {0LL, 1'234LL, 253'402'300'799'999LL}) {
    const auto parsed = parse_time(text_of(at(time)), "time");
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(*parsed, at(time));
  }
  EXPECT_FALSE(parse_time("2026-01-31", "time"));
  EXPECT_FALSE(parse_time("2026-01-31T09:30:00+01:00", "time"));
}

}  // namespace
}  // namespace api
