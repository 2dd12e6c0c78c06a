// Against real groups of this host; see also src/sys/cgroup_test.cc.
#include "init/gauges.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys/process.h"
#include "sys/temp_dir.h"
#include "tests/support/result.h"
#include "tests/support/throwaway_cgroups.h"
#include "tests/support/use_memory.h"

namespace init {
namespace {

using support::kRoomy;
using support::ThrowawayCgroups;
using support::use_memory;

GaugeFds fds_of(const sys::CgroupGauges& gauges) {
  return {.oom = gauges.oom.get(),
          .oom_notify = gauges.oom_notify.get(),
          .memory_peak = gauges.memory_peak.get(),
          .pids = gauges.pids.get()};
}

TEST(Gauges, AKillForMemoryCountsForTheRunItHappenedIn) {
  ASSERT_OK_AND_ASSIGN(auto cgroups, ThrowawayCgroups::make());
  auto limits = kRoomy;
  limits.memory_bytes = 24 << 20;
  ASSERT_OK_AND_ASSIGN(const auto group, cgroups.tree().create("a", limits, 0));
  Gauges gauges(fds_of(group.gauges));
  ASSERT_OK_AND_ASSIGN(const auto before, gauges.marks());
  EXPECT_FALSE(gauges.out_of_memory(before).value());
  EXPECT_EQ(use_memory(group, 96 << 20).signal, SIGKILL);
  EXPECT_TRUE(gauges.out_of_memory(before).value());
  pollfd news{.fd = gauges.notify_fd(), .events = gauges.notify_events(), .revents = 0};
  EXPECT_EQ(::poll(&news, 1, 0), 1);
  gauges.acknowledge();
  EXPECT_EQ(::poll(&news, 1, 0), 0);
  ASSERT_OK_AND_ASSIGN(const auto after, gauges.marks());
  EXPECT_FALSE(gauges.out_of_memory(after).value()) << "not for the next one";
}

TEST(Gauges, ThePeakIsTheRunsOwn) {
  ASSERT_OK_AND_ASSIGN(auto cgroups, ThrowawayCgroups::make());
  ASSERT_OK_AND_ASSIGN(const auto group, cgroups.tree().create("a", kRoomy, 0));
  Gauges gauges(fds_of(group.gauges));
  ASSERT_OK(gauges.reset_peak());
  constexpr std::size_t kSome = 48 << 20;
  EXPECT_EQ(use_memory(group, kSome).code, 0);
  EXPECT_GE(gauges.memory_peak().value(), kSome);
  ASSERT_OK(gauges.reset_peak());
  EXPECT_LT(gauges.memory_peak().value(), kSome);
}

TEST(Gauges, APeakThatCannotBeResetIsNoError) {
  ASSERT_OK_AND_ASSIGN(const auto dir, sys::TempDir::make());
  ASSERT_OK(sys::create_file_at(AT_FDCWD, dir / "counters", "oom_kill 3\nmax 4\n"));
  ASSERT_OK(sys::create_file_at(AT_FDCWD, dir / "peak", "123456\n"));
  ASSERT_OK_AND_ASSIGN(const auto counters, sys::open(dir / "counters", O_RDONLY));
  ASSERT_OK_AND_ASSIGN(const auto peak, sys::open(dir / "peak", O_RDONLY));
  Gauges gauges({.oom = counters.get(),
                 .oom_notify = counters.get(),
                 .memory_peak = peak.get(),
                 .pids = counters.get()});
  ASSERT_OK(gauges.reset_peak());
  EXPECT_EQ(gauges.memory_peak().value(), 123456U);
  EXPECT_FALSE(gauges.pids_exhausted(gauges.marks().value()).value());
}

TEST(Gauges, NewsComeAsThePollThatFitsTheDescriptor) {
  const sys::UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  EXPECT_EQ(Gauges({.oom_notify = event.get()}).notify_events(), POLLIN);
  ASSERT_OK_AND_ASSIGN(const auto file, sys::open("/proc/self/status", O_RDONLY));
  EXPECT_EQ(Gauges({.oom_notify = file.get()}).notify_events(), POLLPRI);
}

TEST(Gauges, AMeterThatIsGoneIsAnErrorNotAZero) {
  Gauges gauges({});
  EXPECT_FALSE(gauges.marks());
  EXPECT_FALSE(gauges.out_of_memory({}));
  EXPECT_FALSE(gauges.pids_exhausted({}));
  EXPECT_FALSE(gauges.memory_peak());
}

}  // namespace
}  // namespace init
