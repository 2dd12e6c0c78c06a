#include "spawner/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sys/file.h"
#include "tests/support/result.h"

namespace spawner {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CpuUse, AnEmptyHostGivesItsFirstCpus) {
  EXPECT_THAT(CpuUse({0, 1, 2, 3}).least_used(2).value(), ElementsAre(0, 1));
}

TEST(CpuUse, TheNextSandboxGoesWhereTheFewestAre) {
  CpuUse use({0, 1, 2});
  use.add({0});
  EXPECT_THAT(use.least_used(1).value(), ElementsAre(1));
  use.add({1});
  EXPECT_THAT(use.least_used(1).value(), ElementsAre(2));
  use.add({2});
  EXPECT_THAT(use.least_used(1).value(), ElementsAre(0)) << "one each: from the start again";
  use.add({0, 1});
  EXPECT_THAT(use.least_used(2).value(), ElementsAre(0, 2)) << "ascending";
}

TEST(CpuUse, NumbersNeedNotStartAtZeroNorBeWithoutGaps) {
  CpuUse use({3, 5, 9});
  use.add({3});
  EXPECT_THAT(use.least_used(2).value(), ElementsAre(5, 9));
}

TEST(CpuUse, WhatRunsElsewhereDoesNotCount) {
  CpuUse use({0, 1});
  use.add({7});
  EXPECT_THAT(use.least_used(2).value(), ElementsAre(0, 1));
  EXPECT_THAT(use.least_used(3), FailsWith(Code::kInvalid));
}

TEST(CpuUse, MoreThanThereAreIsRefusedAndSaysHowManyThereAre) {
  const CpuUse use({0, 1});
  EXPECT_THAT(use.least_used(3), FailsWith(Code::kInvalid));
  EXPECT_THAT(use.least_used(3), FailsSaying("3 CPUs are more than this host has for sandboxes (2)"));
}

TEST(CpuUse, AThousandSandboxesAreSpreadEvenly) {
  const sys::CpuNumbers cpus{0, 1, 2, 3, 4, 5, 6};
  CpuUse use(cpus);
  std::map<unsigned, int> given;
  for (unsigned i = 0; i < 1000; ++i) {
    const auto chosen = use.least_used(1 + i % 3).value();
    use.add(chosen);
    for (const unsigned cpu : chosen) ++given[cpu];
  }
  for (const unsigned cpu : cpus) EXPECT_NEAR(given[cpu], 1999 / 7.0, 1.0) << cpu;
}

TEST(Host, HasTheCpusThatThisProcessMayUse) {
  ASSERT_OK_AND_ASSIGN(const auto host, read_host());
  EXPECT_EQ(host.cpus, sys::cpus_of(0).value());
  EXPECT_THAT(host.processor, StartsWith("processor"));
  EXPECT_THAT(host.processor, HasSubstr("\nflags"));
}

TEST(Host, BootTimeIsTheKernelsOwnWithinASecond) {
  const auto stat = sys::read_file("/proc/stat").value();
  const auto told = std::stoll(stat.substr(stat.find("\nbtime ") + 7));
  EXPECT_NEAR(static_cast<double>(boot_time().value()), static_cast<double>(told), 1.0);
}

}  // namespace
}  // namespace spawner
