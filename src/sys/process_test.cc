#include "sys/process.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "sys/directory.h"
#include "sys/socket.h"
#include "sys/temp_dir.h"
#include "tests/support/in_child.h"
#include "tests/support/result.h"

namespace sys {
namespace {

using support::FailsWithErrno;
using support::in_child;

TEST(Process, AnExitCodeIsToldApartFromASignal) {
  const auto exits = clone_process({}).value();
  if (exits.is_child()) ::_exit(42);
  ASSERT_OK_AND_ASSIGN(const auto exited, wait_pidfd(exits.pidfd.get()));
  EXPECT_EQ(exited.code, 42);
  EXPECT_EQ(exited.signal, 0);

  const auto waits = clone_process({}).value();
  if (waits.is_child()) {
    while (true) ::pause();
  }
  ASSERT_OK(pidfd_kill(waits.pidfd.get(), SIGKILL));
  ASSERT_OK_AND_ASSIGN(const auto killed, wait_pidfd(waits.pidfd.get()));
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(killed.code, 0);
}

TEST(Process, OneThatLivesIsNotEndingAndOneThatHasEndedIs) {
  const auto waits = clone_process({}).value();
  if (waits.is_child()) {
    while (true) ::pause();
  }
  EXPECT_FALSE(is_ending(waits.pid, waits.pidfd.get()));
  ASSERT_OK(pidfd_kill(waits.pidfd.get(), SIGKILL));
  ASSERT_OK(wait_pidfd(waits.pidfd.get()));
  EXPECT_TRUE(is_ending(waits.pid, waits.pidfd.get())) << "reaped";
  EXPECT_TRUE(is_ending(::getpid(), waits.pidfd.get())) << "whoever has its number now";
}

// A child of ours in its namespace is a zombie until we reap it, and so long its pid 1 cannot end.
TEST(Process, APid1ThatWaitsForTheLastOfItsNamespaceIsEnding) {
  auto pipe = make_pipe().value();
  const auto pid1 = clone_process({.flags = CLONE_NEWPID}).value();
  if (pid1.is_child()) {
    while (true) ::pause();
  }
  const auto ours = open("/proc/self/ns/pid", O_RDONLY).value();
  const auto inner = open("/proc/" + std::to_string(pid1.pid) + "/ns/pid", O_RDONLY).value();
  pipe.write.reset();
  ASSERT_OK(setns(inner.get(), CLONE_NEWPID));
  const auto last = clone_process({}).value();
  if (last.is_child()) {
    while (true) ::pause();
  }
  ASSERT_OK(setns(ours.get(), CLONE_NEWPID));
  ASSERT_OK(pidfd_kill(pid1.pidfd.get(), SIGKILL));
  char byte = 0;
  EXPECT_EQ(::read(pipe.read.get(), &byte, 1), 0) << "its descriptors are closed";
  pollfd end{.fd = pid1.pidfd.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&end, 1, 0), 0) << "and it has not ended";
  EXPECT_TRUE(is_ending(pid1.pid, pid1.pidfd.get()));
  ASSERT_OK(wait_pidfd(last.pidfd.get()));
  ASSERT_OK(wait_pidfd(pid1.pidfd.get()));
}

TEST(Process, WaitAnyReapsWhatEndedAndNeverBlocks) {
  EXPECT_FALSE(wait_any().value()) << "no children at all";
  const auto waits = clone_process({}).value();
  if (waits.is_child()) {
    while (true) ::pause();
  }
  EXPECT_FALSE(wait_any().value()) << "a child that lives";
  ASSERT_OK(kill(waits.pid, SIGTERM));
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(waits.pid), &info, WEXITED | WNOWAIT), 0);
  ASSERT_OK_AND_ASSIGN(const auto reaped, wait_any());
  ASSERT_TRUE(reaped);
  EXPECT_EQ(reaped->pid, waits.pid);
  EXPECT_EQ(reaped->status.signal, SIGTERM);
}

TEST(Process, ADaemonOutlivesItsStarterAndHangsUpAtItsEnd) {
  const TempDir dir = TempDir::make().value();
  const auto log = open(dir / "log", O_WRONLY | O_CREAT | O_APPEND, 0600).value();
  ASSERT_OK_AND_ASSIGN(
      const auto alive,
      start_daemon({"/bin/sh", "-c", "ls /proc/self/fd | tr '\\n' ' '; echo; pwd; cat"}, log.get()));
  char byte = 0;
  EXPECT_EQ(::read(alive.get(), &byte, 1), 0) << "hangs up when it ends, and says nothing before";
  // 0 to 2, the descriptor that is held for us, and the one with which ls reads the directory.
  EXPECT_EQ(read_file(dir / "log").value(), "0 1 2 3 4 \n/\n");
}

TEST(Process, AFailingExecveatComesBack) {
  EXPECT_OK(in_child([]() -> Result<> {
    ASSIGN_OR_RETURN(const auto not_a_program, sealed_memfd("x", "neither ELF nor script", 0555));
    char* const none[] = {nullptr};
    const auto failed = execveat(not_a_program.get(), none, none);
    CHILD_EXPECT(!failed && failed.error().sys_errno == ENOEXEC);
    return {};
  }));
}

TEST(Process, ClosingFromANumberLeavesTheLowerOnes) {
  EXPECT_OK(in_child([]() -> Result<> {
    ASSIGN_OR_RETURN(const auto low, lift_fd(0, 10));
    ASSIGN_OR_RETURN(const auto high, lift_fd(0, 100));
    const int low_number = low.get();
    const int high_number = high.get();
    RETURN_IF_ERROR(close_from(50));
    CHILD_EXPECT(::fcntl(low_number, F_GETFD) >= 0);
    CHILD_EXPECT(::fcntl(high_number, F_GETFD) < 0 && errno == EBADF);
    return {};
  }));
}

TEST(Process, CloseOnExecFromANumberMarksThemAll) {
  EXPECT_OK(in_child([]() -> Result<> {
    RETURN_IF_ERROR(place_fd(0, 60));
    CHILD_EXPECT(::fcntl(60, F_GETFD) == 0);  // placed means open across exec
    RETURN_IF_ERROR(close_on_exec_from(60));
    CHILD_EXPECT(::fcntl(60, F_GETFD) == FD_CLOEXEC);
    return {};
  }));
}

TEST(Process, IdsChangeForGoodAndGroupsGo) {
  EXPECT_OK(in_child([]() -> Result<> {
    RETURN_IF_ERROR(set_ids(1234, 2345));
    uid_t uids[3];
    gid_t gids[3];
    CHILD_EXPECT(::getresuid(&uids[0], &uids[1], &uids[2]) == 0);
    CHILD_EXPECT(::getresgid(&gids[0], &gids[1], &gids[2]) == 0);
    CHILD_EXPECT(std::ranges::all_of(uids, [](uid_t id) { return id == 1234; }));
    CHILD_EXPECT(std::ranges::all_of(gids, [](gid_t id) { return id == 2345; }));
    CHILD_EXPECT(::getgroups(0, nullptr) == 0);
    CHILD_EXPECT(!set_ids(0, 0));
    return {};
  }));
}

TEST(Process, ALimitIsLoweredAndNeverRaised) {
  EXPECT_OK(in_child([]() -> Result<> {
    RETURN_IF_ERROR(lower_rlimit(RLIMIT_NOFILE, 100, 200));
    RETURN_IF_ERROR(lower_rlimit(RLIMIT_NOFILE, 150, 100'000));
    rlimit now{};
    CHILD_EXPECT(::getrlimit(RLIMIT_NOFILE, &now) == 0);
    CHILD_EXPECT(now.rlim_cur == 150 && now.rlim_max == 200);
    return {};
  }));
}

TEST(Process, SignalsAreAtTheirDefaultsAfterAReset) {
  EXPECT_OK(in_child([]() -> Result<> {
    ::signal(SIGPIPE, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    RETURN_IF_ERROR(reset_signals());
    sigset_t blocked;
    ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
    CHILD_EXPECT(sigisemptyset(&blocked) == 1);
    struct sigaction pipe{};
    ::sigaction(SIGPIPE, nullptr, &pipe);
    CHILD_EXPECT(pipe.sa_handler == SIG_DFL);
    return {};
  }));
}

TEST(Process, PrivilegesAndDumpabilityAreGivenUp) {
  EXPECT_OK(in_child([]() -> Result<> {
    RETURN_IF_ERROR(set_no_new_privs());
    CHILD_EXPECT(::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    RETURN_IF_ERROR(set_non_dumpable());
    CHILD_EXPECT(::prctl(PR_GET_DUMPABLE) == 0);
    RETURN_IF_ERROR(set_dumpable());
    CHILD_EXPECT(::prctl(PR_GET_DUMPABLE) == 1);
    return {};
  }));
}

TEST(Process, ADeathSignalIsSet) {
  EXPECT_OK(in_child([]() -> Result<> {
    int value = 0;
    RETURN_IF_ERROR(set_death_signal(SIGUSR1));
    CHILD_EXPECT(::prctl(PR_GET_PDEATHSIG, &value) == 0 && value == SIGUSR1);
    return {};
  }));
}

TEST(Process, ANewUtsNamespaceHasItsOwnName) {
  std::array<char, 256> before{};
  std::array<char, 256> after{};
  ASSERT_EQ(::gethostname(before.data(), before.size()), 0);
  EXPECT_OK(in_child([] { return set_hostname("unit-test-name"); }, {.flags = CLONE_NEWUTS}));
  ASSERT_EQ(::gethostname(after.data(), after.size()), 0);
  EXPECT_STREQ(before.data(), after.data());
}

TEST(Process, ANewNetworkHasOnlyLoopbackAndItComesUp) {
  EXPECT_OK(in_child([]() -> Result<> {
    RETURN_IF_ERROR(unshare(CLONE_NEWNET));
    RETURN_IF_ERROR(set_loopback_up());
    ASSIGN_OR_RETURN(const auto interfaces, read_file("/proc/net/dev"));
    CHILD_EXPECT(std::ranges::count(interfaces, ':') == 1 && interfaces.find("lo:") != std::string::npos);
    return {};
  }));
}

TEST(Process, AProcessMayEnterANamespaceByItsDescriptor) {
  const auto child = clone_process({.flags = CLONE_NEWUTS}).value();
  if (child.is_child()) {
    while (true) ::pause();
  }
  const auto there = open("/proc/" + std::to_string(child.pid) + "/ns/uts", O_RDONLY);
  EXPECT_OK(there);
  EXPECT_OK(in_child([&]() -> Result<> {
    RETURN_IF_ERROR(setns(there->get(), CLONE_NEWUTS));
    ASSIGN_OR_RETURN(const auto mine, readlinkat(AT_FDCWD, "/proc/self/ns/uts"));
    ASSIGN_OR_RETURN(const auto its, readlinkat(AT_FDCWD, "/proc/" + std::to_string(child.pid) + "/ns/uts"));
    CHILD_EXPECT(mine == its);
    return {};
  }));
  EXPECT_OK(pidfd_kill(child.pidfd.get(), SIGKILL));
  EXPECT_OK(wait_pidfd(child.pidfd.get()));
}

TEST(Process, NobodyIsThereAtAnUnusedPid) {
  EXPECT_THAT(pidfd_open(0x3fffffff), FailsWithErrno(ESRCH));
  EXPECT_THAT(kill(0x3fffffff, 0), FailsWithErrno(ESRCH));
}

}  // namespace
}  // namespace sys
