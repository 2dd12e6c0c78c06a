#include "supervisor/restarts.h"

#include <gtest/gtest.h>

namespace supervisor {
namespace {

TEST(Restarts, TheFirstComesSoonAndEachFurtherOneLater) {
  Restarts restarts;
  const Restarts::Clock::time_point start{};
  auto last = restarts.after_end(start);
  EXPECT_EQ(last, Restarts::kFirst);
  for (int i = 0; i < 5; ++i) {
    const auto next = restarts.after_end(start + std::chrono::seconds(i));
    EXPECT_EQ(*next, *last * 2);
    last = next;
  }
}

TEST(Restarts, AProgramThatEndsAgainAndAgainIsGivenUp) {
  Restarts restarts;
  for (std::size_t i = 0; i < Restarts::kMost; ++i) {
    const auto delay = restarts.after_end({});
    ASSERT_TRUE(delay);
    EXPECT_LE(*delay, Restarts::kLongest);
  }
  EXPECT_FALSE(restarts.after_end({}));
}

TEST(Restarts, OneThatLivedForAWhileBeginsAnew) {
  Restarts restarts;
  Restarts::Clock::time_point now{};
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(restarts.after_end(now), Restarts::kFirst);
    now += Restarts::kWindow + std::chrono::seconds(1);
  }
}

}  // namespace
}  // namespace supervisor
