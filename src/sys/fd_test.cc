#include "sys/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace sys {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }
int some_fd() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

TEST(UniqueFd, ClosesAtItsEnd) {
  const int fd = some_fd();
  {
    const UniqueFd owner(fd);
    EXPECT_TRUE(owner);
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(UniqueFd, AMoveHandsOverAndLeavesNothing) {
  UniqueFd from(some_fd());
  const int fd = from.get();
  const UniqueFd to(std::move(from));
  EXPECT_FALSE(from);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(to.get(), fd);
  EXPECT_TRUE(is_open(fd));
}

TEST(UniqueFd, AssignmentClosesWhatWasHeld) {
  UniqueFd holder(some_fd());
  const int old = holder.get();
  UniqueFd other(some_fd());
  const int fresh = other.get();
  holder = std::move(other);
  EXPECT_FALSE(is_open(old));
  EXPECT_EQ(holder.get(), fresh);
}

TEST(UniqueFd, SelfAssignmentKeepsIt) {
  UniqueFd holder(some_fd());
  const int fd = holder.get();
  UniqueFd& same = holder;
  holder = std::move(same);
  EXPECT_EQ(holder.get(), fd);
  EXPECT_TRUE(is_open(fd));
}

TEST(UniqueFd, ReleaseGivesTheNumberAway) {
  UniqueFd holder(some_fd());
  const int fd = holder.release();
  EXPECT_FALSE(holder);
  EXPECT_TRUE(is_open(fd));
  ::close(fd);
}

}  // namespace
}  // namespace sys
