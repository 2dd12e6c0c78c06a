#include "init/supervisor.h"

#include <sys/resource.h>

#include <cerrno>

#include "tests/support/engine_of_init.h"

namespace init {
namespace {

using base::Cause;
using base::Code;
using base::Limit;
using support::shell;
using wire::init::Failed;
using wire::init::Output;
using wire::init::Start;

using SupervisorTest = support::InitTest;

TEST_F(SupervisorTest, OutputAndExitCodeComeBackApart) {
  begin();
  const auto story = tell(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(story.out, "out\n");
  EXPECT_EQ(story.err, "err\n");
  EXPECT_EQ(story.ended.cause, Cause::kError);
  EXPECT_EQ(story.ended.exit_code, 3U);
  EXPECT_EQ(story.ended.usage.stdout_bytes, 4U);
  EXPECT_EQ(story.ended.usage.stderr_bytes, 4U);
  EXPECT_EQ(story.ended.limits_hit, 0U);
}

TEST_F(SupervisorTest, OneRunFollowsTheOther) {
  begin();
  EXPECT_EQ(tell(shell("echo 1")).out, "1\n");
  EXPECT_EQ(tell(shell("echo 2")).out, "2\n");
}

TEST_F(SupervisorTest, AProcessHasItsEnvironmentAndDescriptorsAndNoOthers) {
  begin();
  Start start = shell("");
  start.argv = {"env"};
  start.environment = {"PATH=/usr/bin:/bin", "A=b=c"};
  EXPECT_EQ(tell(start).out, "PATH=/usr/bin:/bin\nA=b=c\n");
  // The fourth is the directory that ls reads.
  EXPECT_EQ(tell(shell("exec ls /proc/self/fd")).out, "0\n1\n2\n3\n");
}

TEST_F(SupervisorTest, AProcessMayOpenItsOutputAndInputByName) {
  begin();
  EXPECT_EQ(tell(shell("echo one >/dev/stdout; echo two >/proc/self/fd/1")).out, "one\ntwo\n");
  EXPECT_EQ(tell(shell("echo three >/dev/stderr")).err, "three\n");
  auto reads = shell("cat /dev/stdin");
  reads.input = wire::init::Stdin::kStream;
  send(9, reads);
  send(9, wire::init::Input{.bytes = "four"});
  send(9, wire::init::Input{});
  EXPECT_EQ(await_end(9).out, "four");
}

TEST_F(SupervisorTest, AProcessIsTheUserWithoutAnyPrivilege) {
  begin();
  EXPECT_EQ(tell(shell("id -u; id -g; id -G; grep -h -e CapEff -e CapPrm -e CapAmb -e NoNewPrivs -e Seccomp: "
                       "/proc/self/status | tr -d '\\t'"))
                .out,
            "1000\n1000\n1000\nCapPrm:0000000000000000\nCapEff:0000000000000000\nCapAmb:0000000000000000\n"
            "NoNewPrivs:1\nSeccomp:2\n");
}

TEST_F(SupervisorTest, ThereIsNoRootWithoutRootMode) {
  begin();
  Start start = shell("id -u");
  start.user = wire::init::User::kRoot;
  const auto story = tell(start);
  ASSERT_TRUE(story.failed);
  EXPECT_EQ(story.failed->code, static_cast<std::uint32_t>(Code::kDenied));
  EXPECT_THAT(story.failed->message, testing::HasSubstr("root mode"));
}

TEST_F(SupervisorTest, RootHasExactlyItsCapabilities) {
  begin(support::kRoomy, sys::cap(0) | sys::cap(5));
  Start start = shell("id -u; grep CapEff /proc/self/status");
  start.user = wire::init::User::kRoot;
  EXPECT_EQ(tell(start).out, "0\nCapEff:\t0000000000000021\n");
}

TEST_F(SupervisorTest, InputGoesThroughToItsEnd) {
  begin();
  Start start = shell("cat");
  start.input = wire::init::Stdin::kStream;
  const std::string text(wire::kMaxChunk, 'i');
  send(++last_, start);
  send(last_, wire::init::Input{.bytes = text});
  send(last_, wire::init::Input{.bytes = text});
  send(last_, wire::init::Input{});
  const auto story = await_end(last_);
  EXPECT_EQ(story.out, text + text);
  EXPECT_EQ(story.taken, 2 * text.size());
  EXPECT_EQ(story.ended.cause, Cause::kOk);
}

TEST_F(SupervisorTest, InputThatNobodyReadsIsTakenAndDropped) {
  begin();
  Start start = shell("exec 0<&-; echo closed; exec sleep 1000");
  start.input = wire::init::Stdin::kStream;
  send(++last_, start);
  await_start();
  EXPECT_EQ(std::get<Output>(next()).bytes, "closed\n");
  send(last_, wire::init::Input{.bytes = "hello"});
  EXPECT_EQ(std::get<wire::init::InputTaken>(next()).bytes, 5U);
  send(last_, wire::init::Signal{.number = SIGKILL});
  EXPECT_EQ(await_end(last_).ended.cause, Cause::kInterrupted);
}

TEST_F(SupervisorTest, ADeadlineEndsTheRunAndASecondOneWhatIgnoresIt) {
  begin();
  Start start = shell("exec sleep 1000");
  start.deadline_ms = 30;
  start.grace_ms = 60'000;
  const auto polite = tell(start);
  EXPECT_EQ(polite.ended.cause, Cause::kTimeout);
  EXPECT_EQ(polite.ended.signal, static_cast<std::uint32_t>(SIGTERM));
  EXPECT_EQ(polite.ended.limits_hit, base::bit(Limit::kTime));
  start = shell("trap '' TERM; sleep 1000; sleep 1000");
  start.deadline_ms = 1000;  // time for the shell to get to its trap, on the slowest machine
  EXPECT_EQ(tell(start).ended.signal, static_cast<std::uint32_t>(SIGKILL));
}

TEST_F(SupervisorTest, ADeadlineTakesWhatHidesInASessionOfItsOwn) {
  begin();
  Start start =
      shell("setsid sh -c 'trap \"\" TERM; echo hidden; while :; do sleep 1000; done' & exec sleep 1000");
  start.deadline_ms = 100;
  start.grace_ms = 60'000;
  EXPECT_EQ(tell(start).ended.cause, Cause::kTimeout);
  const auto events = sys::openat(group_.unified.get(), "p1/cgroup.events", O_RDONLY);
  while (events && sys::gauge_value(sys::pread_text(events->get()).value_or(""), "populated") != 0) {
    pollfd news{.fd = events->get(), .events = POLLPRI, .revents = 0};
    ASSERT_EQ(::poll(&news, 1, 10'000), 1) << "somebody survives the timeout";
  }
}

TEST_F(SupervisorTest, OutputPastTheCapIsCountedAndDropped) {
  begin();
  Start start = shell("head -c 5000 /dev/zero | tr '\\0' x; echo end >&2");
  start.output_cap = 1000;
  const auto story = tell(start);
  EXPECT_EQ(story.out.size() + story.err.size(), 1000U);
  EXPECT_EQ(story.ended.usage.stdout_bytes, 5000U);
  EXPECT_EQ(story.ended.usage.dropped_bytes, 4004U);
  EXPECT_EQ(story.ended.limits_hit, base::bit(Limit::kOutput));
  EXPECT_EQ(story.ended.cause, Cause::kOk);
}

TEST_F(SupervisorTest, MuchOutputArrivesWhole) {
  begin();
  Start start = shell("head -c 3000000 /dev/zero");
  start.output_cap = 10 << 20;
  EXPECT_EQ(tell(start).out, std::string(3'000'000, '\0'));
}

TEST_F(SupervisorTest, TooMuchMemoryEndsTheRunAsAWhole) {
  auto limits = support::kRoomy;
  limits.memory_bytes = 128 << 20;
  begin(limits);
  const auto story = tell(shell(
      "(exec sleep 1000) & head -c 300000000 /dev/zero | tail -c 200000000 > /dev/null; exec sleep 1000"));
  EXPECT_EQ(story.ended.cause, Cause::kOutOfMemory);
  EXPECT_EQ(story.ended.limits_hit, base::bit(Limit::kMemory));
  EXPECT_GT(story.ended.usage.peak_memory_bytes, 24U << 20);
}

TEST_F(SupervisorTest, TooManyProcessesAreTheCauseOfTheFailure) {
  auto limits = support::kRoomy;
  limits.max_pids = 8;
  begin(limits);
  const auto story = tell(shell("for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done; exit 0"));
  EXPECT_EQ(story.ended.cause, Cause::kPidsLimit);
  EXPECT_EQ(story.ended.limits_hit, base::bit(Limit::kPids));
}

TEST_F(SupervisorTest, WhatCannotBeStartedIsToldWithItsReason) {
  begin();
  Start start = shell("");
  start.argv = {"/no/such/program"};
  const auto no_program = tell(start);
  ASSERT_TRUE(no_program.failed);
  EXPECT_EQ(no_program.failed->sys_errno, ENOENT);
  EXPECT_THAT(no_program.failed->message, testing::StartsWith("exec(/no/such/program)"));
  start = shell("true");
  start.cwd = "/no/such/directory";
  const auto no_directory = tell(start);
  ASSERT_TRUE(no_directory.failed);
  EXPECT_THAT(no_directory.failed->message, testing::StartsWith("chdir(/no/such/directory)"));
  EXPECT_EQ(tell(shell("echo still here")).out, "still here\n");
}

TEST_F(SupervisorTest, AFailureBeforeTheExecIsNoExitCode) {
  begin();
  // Too few for the numbers out of the way that a new process lifts its descriptors to.
  const rlimit few{.rlim_cur = 30, .rlim_max = 30};
  ASSERT_EQ(::prlimit(init_.pid, RLIMIT_NOFILE, &few, nullptr), 0);
  const auto story = tell(shell("echo ran"));
  ASSERT_TRUE(story.failed);
  EXPECT_THAT(story.failed->message, testing::StartsWith("fcntl(F_DUPFD_CLOEXEC)"));
  EXPECT_EQ(story.out, "");
}

TEST_F(SupervisorTest, AStreamHasOneProcess) {
  begin();
  send(1, shell("exec sleep 1000"));
  await_start();
  send(1, shell("echo other"));
  const auto second = await_end(1);
  ASSERT_TRUE(second.failed);
  EXPECT_EQ(second.failed->code, static_cast<std::uint32_t>(Code::kConflict));
  send(2, wire::init::Signal{.number = SIGKILL});  // not the running one
  send(1, wire::init::Signal{.number = SIGINT});
  const auto first = await_end(1);
  EXPECT_EQ(first.ended.cause, Cause::kInterrupted);
  EXPECT_EQ(first.ended.signal, static_cast<std::uint32_t>(SIGINT));
}

TEST_F(SupervisorTest, ManyRunAtOnceEachWithItsOwnOutputInputAndEnd) {
  begin();
  auto reader = shell("read x; echo got $x; exit 3");
  reader.input = wire::init::Stdin::kStream;
  auto late = shell("echo begun; exec sleep 1000");
  late.deadline_ms = 1000;  // after its first line, on a slow machine, too
  send(1, reader);
  send(2, late);
  send(3, shell("echo out; echo err >&2"));
  auto stories = await_ends(2);
  EXPECT_EQ(stories[3].out, "out\n");
  EXPECT_EQ(stories[3].err, "err\n");
  EXPECT_EQ(stories[3].ended.cause, Cause::kOk);
  EXPECT_EQ(stories[2].out, "begun\n");
  EXPECT_EQ(stories[2].ended.cause, Cause::kTimeout) << "another's deadline is nobody else's";
  send(1, wire::init::Input{.bytes = "this\n"});
  const auto first = await_end(1);
  EXPECT_EQ(first.out, "got this\n");
  EXPECT_EQ(first.ended.exit_code, 3U);
}

TEST_F(SupervisorTest, OfManyOnlyTheOneThatLostItsMemoryEndsForIt) {
  auto limits = support::kRoomy;
  limits.memory_bytes = 192 << 20;
  begin(limits);
  auto waiting = shell("read x; exit 1");
  waiting.input = wire::init::Stdin::kStream;
  send(1, waiting);
  await_start();
  send(2, shell("exec tail /dev/zero"));
  auto stories = await_ends(1);
  EXPECT_EQ(stories[2].ended.cause, Cause::kOutOfMemory);
  send(1, wire::init::Input{.bytes = "\n"});
  const auto other = await_end(1);
  EXPECT_EQ(other.ended.cause, Cause::kError) << "it failed by itself";
  EXPECT_EQ(other.ended.limits_hit, bit(Limit::kMemory)) << "but memory ran out in its sandbox meanwhile";
}

TEST_F(SupervisorTest, MoreThanTheMostAreRefusedAndOneMayFollowAnother) {
  auto limits = support::kRoomy;
  limits.max_pids = 300;
  begin(limits);
  auto waiting = shell("read x");
  waiting.input = wire::init::Stdin::kStream;
  constexpr std::uint32_t kMost = 256;
  for (std::uint32_t stream = 1; stream <= kMost; ++stream) {
    send(stream, waiting);
    await_start();
  }
  send(kMost + 1, shell("true"));
  const auto refused = await_end(kMost + 1);
  ASSERT_TRUE(refused.failed);
  EXPECT_THAT(refused.failed->message, testing::HasSubstr("256 processes run already"));
  send(7, wire::init::Input{});
  await_end(7);
  send(kMost + 1, shell("true"));
  EXPECT_EQ(await_end(kMost + 1).ended.cause, Cause::kOk);
}

TEST_F(SupervisorTest, AFileIsWrittenAsTheUserAndOnlyWhereTheUserMay) {
  begin();
  ASSERT_OK(sys::mkdirat(AT_FDCWD, dir_ / "home", 0755));
  ASSERT_OK(sys::fchownat(AT_FDCWD, dir_ / "home", 1000, 1000));
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0755), 0);
  send(1, wire::init::PutFile{.path = dir_ / "home/f", .mode = 0640, .bytes = "text"});
  ASSERT_TRUE(std::holds_alternative<wire::init::Done>(next()));
  EXPECT_EQ(sys::read_file(dir_ / "home/f").value(), "text");
  EXPECT_EQ(sys::fstatat(AT_FDCWD, dir_ / "home/f")->st_uid, 1000U);
  send(2, wire::init::PutFile{.path = dir_ / "f", .mode = 0644, .bytes = "text"});
  EXPECT_EQ(await_end(2).failed->sys_errno, EACCES);
}

TEST_F(SupervisorTest, AFileIsNotWrittenThroughALink) {
  begin();
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0777), 0);
  ASSERT_OK(sys::symlinkat("target", AT_FDCWD, dir_ / "link"));
  send(1, wire::init::PutFile{.path = dir_ / "link", .mode = 0644, .bytes = "text"});
  EXPECT_EQ(await_end(1).failed->sys_errno, ELOOP);
}

TEST_F(SupervisorTest, AnErrorIsNeverTooLongToBeTold) {
  begin();
  send(1, wire::init::PutFile{.path = "/" + std::string(wire::init::kMaxPath - 1, 'x'), .bytes = "text"});
  const auto story = await_end(1);
  EXPECT_EQ(story.failed->sys_errno, ENAMETOOLONG);
  EXPECT_EQ(story.failed->message.size(), wire::init::kMaxMessage);
}

TEST_F(SupervisorTest, TheEndOfTheEngineIsTheEndOfTheSandbox) {
  begin();
  send(1, shell("exec sleep 1000"));
  await_start();
  engine_.reset();
  EXPECT_EQ(sys::wait_pidfd(init_.pidfd.get())->code, 0);
}

TEST_F(SupervisorTest, ABrokenProtocolIsTheEndToo) {
  begin();
  ASSERT_OK(sys::write_all(engine_.get(), std::string(12, '\xff')));
  EXPECT_TRUE(std::holds_alternative<Failed>(next())) << "and init says so";
  EXPECT_EQ(sys::wait_pidfd(init_.pidfd.get())->code, 1);
}

TEST_F(SupervisorTest, MoreInputThanTheWindowBreaksTheProtocol) {
  begin();
  Start start = shell("exec sleep 1000");
  start.input = wire::init::Stdin::kStream;
  send(1, start);
  await_start();
  // The pipe to the process takes one chunk; the window holds the rest but for one.
  constexpr std::size_t kChunks = wire::init::kInputWindow / wire::kMaxChunk + 2;
  for (std::size_t i = 0; i < kChunks; ++i)
    send(1, wire::init::Input{.bytes = std::string(wire::kMaxChunk, 'x')});
  EXPECT_EQ(sys::wait_pidfd(init_.pidfd.get())->code, 1);
}

}  // namespace
}  // namespace init
