#include "template/command.h"

#include <gmock/gmock.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "template/test_support.h"

namespace templates {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Command shell(const std::string& script) {
  return {.argv = {"sh", "-c", script}, .environment = command_environment()};
}

TEST(Command, TellsOutputByLinesWithoutControlCharacters) {
  test::Recorder progress;
  const auto done =
      run_command(shell("printf 'one\\n\\033[31mtwo\\rthree'; echo err >&2"), progress, Cancel());
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(progress.details, ElementsAre("one", "?[31mtwo", "threeerr"));
}

TEST(Command, AFailureEndsWithTheLastLines) {
  test::Recorder progress;
  const auto done = run_command(shell("echo 'E: no such package'; exit 7"), progress, Cancel());
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("exit code 7\n  E: no such package"));
  EXPECT_FALSE(run_command({.argv = {"cove-no-such-program"}, .environment = {}}, progress, Cancel()));
}

TEST(Command, ACancelEndsTheWholeFamily) {
  const test::Scratch scratch;
  const sys::UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  // Asks to stop as soon as the child has spoken.
  class Stopper : public test::Recorder {
   public:
    explicit Stopper(int fd) : fd_(fd) {}
    void detail(std::string_view) override { EXPECT_EQ(::eventfd_write(fd_, 1), 0); }

   private:
    int fd_;
  };
  Stopper progress(stop.get());
  auto lock = sys::flock_exclusive(scratch / "lock");
  ASSERT_TRUE(lock);
  Command command = shell("(setsid sleep 1000) & echo started; sleep 1000");
  command.argv.insert(command.argv.begin(), {"unshare", "--mount", "--pid", "--fork", "--kill-child", "--"});
  command.kept_fd = lock->get();
  const auto done = run_command(command, progress, Cancel(stop.get()));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "interrupted");
  // Every process of the family kept the lock; that it is free without ours shows that all are gone.
  lock->reset();
  EXPECT_TRUE(sys::flock_exclusive(scratch / "lock"));
}

}  // namespace
}  // namespace templates
