// Group E: what a sandbox takes is its own. Controls are bounded themselves: a gibibyte, 512 processes.
#include <array>

#include "tests/attacks/verdicts.h"

namespace attacks {

namespace {

using base::Cause;
using base::Limit;
using std::chrono::milliseconds;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kTight = 32 * kMiB;
constexpr std::uint64_t kLoose = 1024 * kMiB;  // what keeps the machine safe from a control that works

Subject with_memory(std::uint64_t bytes) {
  return Subject(Lab::current().product(),
                 {.memory_bytes = bytes, .disk_bytes = std::min(bytes, 256 * kMiB)});
}

Subject with_processes(std::uint32_t count) { return Subject(Lab::current().product(), {.max_pids = count}); }

bool hit(const Report& report, Limit limit) { return (report.outcome.limits_hit & base::bit(limit)) != 0; }

// What was killed may take a moment to be gone; what was not stays.
void expect_nobody_left(Subject& subject) {
  std::string others;
  for (int tries = 0; tries < 100 && others != "0"; ++tries) {
    others = subject.run("count_processes").value("others");
  }
  EXPECT_EQ(others, "0");
}

void expect_out_of_memory(const Report& report, std::uint64_t limit) {
  EXPECT_EQ(report.outcome.cause, Cause::kOutOfMemory) << report.text();
  EXPECT_EQ(report.outcome.signal, SIGKILL) << "a shell calls it 137";
  EXPECT_TRUE(hit(report, Limit::kMemory));
  EXPECT_TRUE(report.probes.empty()) << report.text();
  EXPECT_LE(report.outcome.usage.peak_memory_bytes, limit);
  EXPECT_GT(report.outcome.usage.peak_memory_bytes, limit / 2) << "the receipt tells how much it was";
}

// A form of memory, how much of it the control takes, and how a sandbox says no.
struct Form {
  std::string name;
  std::uint64_t mib = 96;
  Refusals refused = {};  // by a bound of its own, when the kernel's killer does not come first
};

void expect_counted(const Form& form) {
  SCOPED_TRACE(form.name);
  const Start start{.arguments = {form.name, std::to_string(form.mib)}};
  const auto loose = with_memory(kLoose).run("memory_by_kind", start);
  expect_worked(loose, {form.name});
  // All of it is in the books, with a little left for what the program only believes to have taken.
  EXPECT_GE(loose.outcome.usage.peak_memory_bytes, form.mib * kMiB * 8 / 10);

  const auto tight = with_memory(kTight).run("memory_by_kind", start);
  EXPECT_LE(tight.outcome.usage.peak_memory_bytes, kTight);
  if (form.refused.empty() || tight.outcome.cause == Cause::kOutOfMemory) {
    expect_out_of_memory(tight, kTight);
  } else {
    expect_all_refused(tight, form.refused);
  }
}

}  // namespace

TEST(Resources, ForkBombIsCapped) {
  constexpr std::uint32_t kLimit = 64;
  const std::string program = "fork_bomb";
  expect_worked(with_processes(512).run(program, {.arguments = {"300"}}), {"processes"});

  auto usual = with_processes(kLimit);
  const auto counted = usual.run(program, {.arguments = {"300"}});
  expect_all_refused(counted, {"EAGAIN"});
  EXPECT_LT(std::stoi(counted.value("processes")), static_cast<int>(kLimit));
  EXPECT_EQ(counted.outcome.cause, Cause::kPidsLimit);
  EXPECT_TRUE(hit(counted, Limit::kPids));
  // Every process of it a parent: the deadline takes all, and the sandbox is usable as before.
  const auto bomb = usual.run(program, {.timeout = milliseconds(700)});
  EXPECT_EQ(bomb.outcome.cause, Cause::kTimeout) << bomb.text();
  EXPECT_TRUE(hit(bomb, Limit::kPids));
  expect_nobody_left(usual);
}

TEST(Resources, ThreadsAndMappingsAreCapped) {
  const Start threads{.arguments = {"300"}};
  expect_worked(with_processes(512).run("thread_bomb", threads), {"threads"});
  const auto capped = with_processes(64).run("thread_bomb", threads);
  expect_all_refused(capped, {"EAGAIN"});
  EXPECT_EQ(capped.outcome.cause, Cause::kPidsLimit);

  const Start mappings{.arguments = {"6"}};
  const auto loose = with_memory(kLoose).run("map_bomb", mappings);
  expect_worked(loose, {"mappings"});
  EXPECT_GT(loose.outcome.usage.peak_memory_bytes, 2 * kTight) << "without a single page of its own";
  expect_out_of_memory(with_memory(kTight).run("map_bomb", mappings), kTight);
}

TEST(Resources, OutOfMemoryIsInside) {
  auto sibling = with_memory(kTight);
  const Start hog{.arguments = {"heap", "96"}};
  expect_worked(with_memory(kLoose).run("memory_by_kind", hog), {"heap"});
  auto usual = with_memory(kTight);
  expect_out_of_memory(usual.run("memory_by_kind", hog), kTight);
  // Both go on: the one beside it, and itself with less.
  const Start modest{.arguments = {"heap", "16"}};
  expect_worked(sibling.run("memory_by_kind", modest), {"heap"});
  expect_worked(usual.run("memory_by_kind", modest), {"heap"});
}

TEST(Resources, EveryFormOfMemoryIsCounted) {
  for (const Form& form : std::to_array<Form>({{"disk", 96, {"ENOSPC"}},
                                               {"shm", 96, {"ENOSPC"}},
                                               {"memfd"},
                                               {"pipes", 56},  // the kernel's own bound is 64 per user
                                               {"sockets"},
                                               {"page_tables"},
                                               {"sysv_shm"},
                                               {"sysv_msg"},
                                               {"epoll"}})) {
    expect_counted(form);
  }
}

// Names that are not there: the kernel forgets the oldest instead of refusing, so nobody is killed.
TEST(Resources, RememberedNamesAreCounted) {
  constexpr std::uint64_t kLimit = 16 * kMiB;
  const Start start{.arguments = {"dentries", "32"}};
  EXPECT_GT(with_memory(kLoose).run("memory_by_kind", start).outcome.usage.peak_memory_bytes, kLimit);
  const auto tight = with_memory(kLimit).run("memory_by_kind", start);
  EXPECT_EQ(tight.outcome.cause, Cause::kOk) << tight.text();
  EXPECT_LE(tight.outcome.usage.peak_memory_bytes, kLimit);
}

// Version 1 of control groups counts these apart, so a peak says nothing.
TEST(Resources, SocketBuffersAreBounded) {
  for (const char* const kind : {"tcp", "udp"}) {
    const Start start{.arguments = {kind, "24"}};
    expect_worked(with_memory(kLoose).run("memory_by_kind", start), {kind});
    const auto tight = with_memory(kTight).run("memory_by_kind", start);
    if (tight.outcome.cause == Cause::kOutOfMemory) continue;
    expect_all_refused(tight, {"ENOBUFS"});
    EXPECT_LT(std::stoul(tight.value("queued_kib")), kTight / 2 / 1024) << kind;
  }
}

TEST(Resources, AChildOutOfMemoryEndsTheRun) {
  const std::string program = "child_out_of_memory";
  Subject deaf(Lab::current().control(),
               {.memory_bytes = kTight, .disk_bytes = kTight, .weaken = bits({Weakness::kDeafInit})});
  const auto goes_on = deaf.run(program);
  EXPECT_NE(goes_on.probe("parent_goes_on"), nullptr) << goes_on.text();
  expect_out_of_memory(with_memory(kTight).run(program), kTight);
}

TEST(Resources, NothingOutlivesItsDeadline) {
  const std::string program = "outlive_deadline";
  constexpr milliseconds kDeadline(300);
  constexpr milliseconds kGrace(600);
  auto usual = sandbox();
  std::map<std::string, Report> ended;
  for (const char* const way : {"sleeping", "busy", "ignoring", "stopped", "vfork"}) {
    SCOPED_TRACE(way);
    expect_worked(usual.run(program, {.arguments = {way, "1"}}), {"outlived"});
    ended[way] = usual.run(program, {.arguments = {way, "20"}, .timeout = kDeadline, .grace = kGrace});
    EXPECT_EQ(ended[way].value("started"), way);
    EXPECT_EQ(ended[way].outcome.cause, Cause::kTimeout) << ended[way].text();
    EXPECT_TRUE(ended[way].probes.empty());
    expect_nobody_left(usual);
  }
  // TERM comes first and is enough for some; the others get the grace, and use it.
  for (const char* const way : {"sleeping", "busy"}) EXPECT_EQ(ended[way].outcome.signal, SIGTERM) << way;
  for (const char* const way : {"ignoring", "stopped", "vfork"}) {
    EXPECT_EQ(ended[way].outcome.signal, SIGKILL) << way;
    EXPECT_GE(milliseconds(ended[way].outcome.usage.wall_us / 1000), kDeadline + kGrace) << way;
  }
  EXPECT_EQ(ended["ignoring"].value("term"), "seen");
  EXPECT_EQ(ended["ignoring"].value("grace"), "used");
}

TEST(Resources, OutputIsCutAndCounted) {
  constexpr std::uint64_t kFlood = 24 * kMiB;
  for (const char* const kind : {"lines", "one_line", "stderr", "binary"}) {
    SCOPED_TRACE(kind);
    auto usual = sandbox();
    const auto cut = usual.run("output_flood", {.arguments = {kind, "24"}, .output_cap = kMiB});
    EXPECT_EQ(cut.output_bytes, kMiB);
    EXPECT_EQ(cut.outcome.usage.dropped_bytes, kFlood - kMiB);
    EXPECT_EQ(cut.outcome.usage.stdout_bytes + cut.outcome.usage.stderr_bytes, kFlood);
    EXPECT_TRUE(hit(cut, Limit::kOutput));
    EXPECT_LT(cut.outcome.usage.peak_memory_bytes, kFlood / 2) << "nothing of it is kept inside";
  }
  const auto open = sandbox().run("output_flood", {.arguments = {"lines", "24"}, .output_cap = 2 * kFlood});
  EXPECT_EQ(open.output_bytes, kFlood) << "without the cap all of it arrives";
  EXPECT_LT(open.outcome.usage.peak_memory_bytes, kFlood / 2) << "init keeps no more than is under way";
}

}  // namespace attacks
