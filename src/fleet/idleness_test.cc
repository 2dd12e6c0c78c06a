#include "fleet/idleness.h"

#include <gtest/gtest.h>

#include "fleet/end_cause.h"

namespace fleet {
namespace {

using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Activity = Idleness::Activity;
using Verdict = Idleness::Verdict;

const Idleness::Time kBegin{};

TEST(Idleness, ComesWhenNothingHappensForItsTimeout) {
  Idleness idleness(kBegin, minutes(15), seconds(30));
  EXPECT_NE(idleness.look(kBegin + minutes(14), Activity::kQuiet), Verdict::kIdle);
  idleness.touch(kBegin + minutes(14));
  EXPECT_NE(idleness.look(kBegin + minutes(28), Activity::kQuiet), Verdict::kIdle);
  EXPECT_EQ(idleness.look(kBegin + minutes(29), Activity::kQuiet), Verdict::kIdle);
}

TEST(Idleness, NeverComesWithoutATimeoutOrWhileSomethingGoesOn) {
  Idleness without(kBegin, seconds(0), seconds(30));
  EXPECT_EQ(without.look(kBegin + std::chrono::hours(24), Activity::kQuiet), Verdict::kGoOn);
  EXPECT_EQ(without.next_look(), std::nullopt);
  Idleness busy(kBegin, seconds(10), seconds(30));
  EXPECT_NE(busy.look(kBegin + seconds(100), Activity::kBusy), Verdict::kIdle);
  EXPECT_NE(busy.look(kBegin + seconds(109), Activity::kQuiet), Verdict::kIdle)
      << "it counts from the end of that";
  EXPECT_EQ(busy.look(kBegin + seconds(110), Activity::kQuiet), Verdict::kIdle);
}

// Looks as often as it is told to; the time at which it was idle.
Idleness::Time run(Idleness& idleness, microseconds cpu_per_second, Idleness::Time stop) {
  auto now = kBegin;
  while (true) {
    now = idleness.next_look().value();
    const auto lived = now - kBegin;
    const auto used = microseconds(cpu_per_second.count() * (lived / seconds(1)));
    const auto verdict = idleness.look(now, Activity::kQuiet);
    if (verdict == Verdict::kIdle || now > stop) return now;
    if (verdict == Verdict::kAskUsed) idleness.hear_used(now, used);
  }
}

TEST(Idleness, AProcessThatUsesCpuKeepsItAwayAndOneThatSleepsDoesNot) {
  Idleness sleeping(kBegin, minutes(15), seconds(30));
  EXPECT_EQ(run(sleeping, microseconds(20), kBegin + minutes(60)), kBegin + minutes(15));
  Idleness working(kBegin, minutes(15), seconds(30));
  EXPECT_GT(run(working, microseconds(50'000), kBegin + minutes(60)), kBegin + minutes(60));
  Idleness brief(kBegin, seconds(2), seconds(30));
  EXPECT_GT(run(brief, microseconds(500'000), kBegin + seconds(60)), kBegin + seconds(60));
}

TEST(Idleness, AShorterTimeoutCountsFromTheLastTouch) {
  Idleness idleness(kBegin, minutes(15), seconds(30));
  idleness.set_timeout(seconds(5));
  EXPECT_EQ(idleness.look(kBegin + seconds(5), Activity::kQuiet), Verdict::kIdle);
}

TEST(EndCause, EachHasAName) {
  EXPECT_EQ(name_of(EndCause::kDeleted), "deleted");
  EXPECT_EQ(name_of(EndCause::kOutOfMemory), "out_of_memory");
  EXPECT_EQ(name_of(EndCause::kPolicy), "policy");
}

}  // namespace
}  // namespace fleet
