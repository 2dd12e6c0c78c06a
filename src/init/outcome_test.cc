#include "init/outcome.h"

#include <gtest/gtest.h>

namespace init {
namespace {

using base::bit;
using base::Cause;
using base::Limit;

constexpr sys::ExitStatus kFine{};
constexpr sys::ExitStatus kFailed{.code = 1};
constexpr sys::ExitStatus kKilled{.signal = SIGKILL};

TEST(Outcome, HowTheProcessEndedDecidesWhenNothingElseHappened) {
  EXPECT_EQ(cause_of({.status = kFine}), Cause::kOk);
  EXPECT_EQ(cause_of({.status = kFailed}), Cause::kError);
  EXPECT_EQ(cause_of({.status = kKilled}), Cause::kCrashed);
}

TEST(Outcome, ATimeoutIsTheCauseHoweverTheProcessTookIt) {
  for (const auto& status : {kFine, kFailed, kKilled}) {
    EXPECT_EQ(cause_of({.status = status, .timed_out = true, .out_of_memory = true}), Cause::kTimeout);
  }
}

TEST(Outcome, ALimitIsTheCauseOnlyOfAFailure) {
  EXPECT_EQ(cause_of({.status = kFailed, .out_of_memory = true}), Cause::kOutOfMemory);
  EXPECT_EQ(cause_of({.status = kFailed, .disk_full = true}), Cause::kDiskFull);
  EXPECT_EQ(cause_of({.status = kFailed, .pids_exhausted = true}), Cause::kPidsLimit);
  EXPECT_EQ(cause_of({.status = kFine, .out_of_memory = true, .pids_exhausted = true, .disk_full = true}),
            Cause::kOk);
}

TEST(Outcome, WhatAnotherRunMayHaveDoneIsNoCause) {
  EXPECT_EQ(cause_of({.status = kFailed, .had_company = true, .out_of_memory = true}), Cause::kError);
  EXPECT_EQ(cause_of({.status = kKilled, .had_company = true, .out_of_memory = true}), Cause::kOutOfMemory);
  EXPECT_EQ(cause_of({.status = kFailed, .had_company = true, .pids_exhausted = true}), Cause::kError);
}

TEST(Outcome, AnInterruptIsTheCauseOnlyOfAFailure) {
  EXPECT_EQ(cause_of({.status = kKilled, .interrupted = true}), Cause::kInterrupted);
  EXPECT_EQ(cause_of({.status = kFailed, .interrupted = true}), Cause::kInterrupted);
  EXPECT_EQ(cause_of({.status = kFine, .interrupted = true}), Cause::kOk) << "it handled the signal";
}

TEST(Outcome, CutOutputIsNoFailure) {
  EXPECT_EQ(cause_of({.status = kFine, .output_cut = true}), Cause::kOk);
}

TEST(Outcome, EveryLimitThatWasTouchedIsListedEvenOnSuccess) {
  EXPECT_EQ(limits_hit({}), 0U);
  EXPECT_EQ(limits_hit({.timed_out = true}), bit(Limit::kTime));
  EXPECT_EQ(limits_hit({.out_of_memory = true}), bit(Limit::kMemory));
  EXPECT_EQ(limits_hit({.pids_exhausted = true}), bit(Limit::kPids));
  EXPECT_EQ(limits_hit({.disk_full = true}), bit(Limit::kDisk));
  EXPECT_EQ(limits_hit({.output_cut = true}), bit(Limit::kOutput));
  const Facts all{.timed_out = true,
                  .out_of_memory = true,
                  .pids_exhausted = true,
                  .disk_full = true,
                  .output_cut = true};
  std::uint32_t every = 0;
  for (const Limit limit : base::kAllLimits) every |= bit(limit);
  EXPECT_EQ(limits_hit(all), every);
}

}  // namespace
}  // namespace init
