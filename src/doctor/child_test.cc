#include "doctor/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace doctor {
namespace {

using base::Code;
using base::Result;
using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};

TEST(Child, AnAnswerComesBack) {
  const auto answer = run_bounded([] -> Result<std::string> { return "done"; }, kLong);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(*answer, "done");
}

TEST(Child, AnErrorKeepsItsCodeAndErrno) {
  const auto answer =
      run_bounded([] -> Result<std::string> { return base::failed_call("mount(x)", EPERM); }, kLong);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().sys_errno, EPERM);
  EXPECT_EQ(answer.error().code, Code::kDenied);
  EXPECT_THAT(answer.error().message, ::testing::StartsWith("mount(x): "));
}

TEST(Child, AnAttemptThatDiesIsAnError) {
  const auto answer = run_bounded(
      [] -> Result<std::string> {
        ::kill(::getpid(), SIGKILL);
        return "never";
      },
      kLong);
  EXPECT_FALSE(answer);
}

TEST(Child, AnAttemptThatHangsIsEndedWithItsDescendants) {
  int alive[2];
  ASSERT_EQ(::pipe(alive), 0);
  const auto hang = [&] -> Result<std::string> {
    ::close(alive[0]);
    (void)fork_process();
    while (true) ::pause();
  };
  const auto answer = run_bounded(hang, milliseconds(50));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kTimeout);
  // The pipe ends when the last process that holds it has ended.
  ::close(alive[1]);
  char byte = 0;
  EXPECT_EQ(::read(alive[0], &byte, 1), 0);
  ::close(alive[0]);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Child, WorkInAUserNamespaceRunsAsItsRoot) {
  const auto answer =
      run_in_user_namespace({}, [] -> Result<std::string> { return std::to_string(::getuid()); });
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(*answer, "0");
}

TEST(Child, ANamespaceThatCannotBeMadeIsReportedByItsCall) {
  // The two exclude each other.
  const auto answer =
      run_in_user_namespace({.more = CLONE_FS}, [] -> Result<std::string> { return "never"; });
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, ::testing::StartsWith("clone("));
}

}  // namespace
}  // namespace doctor
