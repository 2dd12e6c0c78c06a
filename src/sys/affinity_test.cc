#include "sys/affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sys/process.h"
#include "tests/support/result.h"

namespace sys {
namespace {

using support::FailsWithErrno;
using testing::IsEmpty;
using testing::Not;

// In a child, so that the test itself goes on wherever it likes.
int in_a_child(int (*body)()) {
  const auto child = clone_process({}).value();
  if (child.is_child()) ::_exit(body());
  return wait_pidfd(child.pidfd.get())->code;
}

TEST(Affinity, AProcessRunsWhereItWasPutAndSaysSo) {
  EXPECT_EQ(in_a_child([] {
              const auto all = cpus_of(0);
              if (!all || !run_on({all->back()})) return 1;
              const auto now = cpus_of(0);
              return now && *now == CpuNumbers{all->back()} ? 0 : 2;
            }),
            0);
  EXPECT_THAT(cpus_of(0).value(), Not(IsEmpty()));
}

TEST(Affinity, AChildInheritsIt) {
  EXPECT_EQ(in_a_child([] {
              const unsigned first = cpus_of(0)->front();
              if (!run_on({first})) return 1;
              return in_a_child([] { return cpus_of(0)->size() == 1 ? 0 : 3; });
            }),
            0);
}

TEST(Affinity, AnotherProcessIsAskedByItsNumber) {
  EXPECT_EQ(cpus_of(::getpid()).value(), cpus_of(0).value());
  EXPECT_THAT(cpus_of(1 << 30), FailsWithErrno(ESRCH));
}

TEST(Affinity, CpusThatAreNotThereAreRefused) {
  EXPECT_THAT(run_on({}), FailsWithErrno(EINVAL));
  EXPECT_THAT(run_on({8191}), FailsWithErrno(EINVAL));
  EXPECT_FALSE(run_on({8192}).has_value());
}

}  // namespace
}  // namespace sys
