#include "sys/user_namespace.h"

#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "sys/process.h"
#include "tests/support/in_child.h"
#include "tests/support/result.h"

namespace sys {
namespace {

using support::in_child;

Result<std::string> map_seen_inside(const UniqueFd& space, const char* file) {
  std::string seen;
  ASSIGN_OR_RETURN(const auto pipe, make_pipe());
  RETURN_IF_ERROR(in_child([&]() -> Result<> {
    RETURN_IF_ERROR(setns(space.get(), CLONE_NEWUSER));
    ASSIGN_OR_RETURN(const auto text, read_file(std::string("/proc/self/") + file));
    return write_all(pipe.write.get(), text);
  }));
  std::string text(256, '\0');
  const ssize_t n = ::read(pipe.read.get(), text.data(), text.size());
  unsigned inside = 0;
  unsigned outside = 0;
  unsigned count = 0;
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  if (std::sscanf(text.c_str(), "%u %u %u", &inside, &outside, &count) != 3)
    return base::fail(base::Code::kInternal, "strange map: " + text);
  return std::to_string(inside) + " " + std::to_string(outside) + " " + std::to_string(count);
}

TEST(UserNamespace, HasItsMapForUsersAndGroups) {
  ASSERT_OK_AND_ASSIGN(const auto space,
                       make_user_namespace({.inside = 0, .outside = 1 << 20, .count = 65536}));
  EXPECT_EQ(map_seen_inside(space, "uid_map").value(), "0 1048576 65536");
  EXPECT_EQ(map_seen_inside(space, "gid_map").value(), "0 1048576 65536");
}

TEST(UserNamespace, MayMapGroupsOtherwiseThanUsers) {
  ASSERT_OK_AND_ASSIGN(const auto space, make_user_namespace({.inside = 1001, .outside = 5000, .count = 1},
                                                             {.inside = 100, .outside = 6000, .count = 1}));
  EXPECT_EQ(map_seen_inside(space, "uid_map").value(), "1001 5000 1");
  EXPECT_EQ(map_seen_inside(space, "gid_map").value(), "100 6000 1");
}

TEST(UserNamespace, CanBeMadeByAnotherThanRoot) {
  constexpr uid_t kMaker = 1 << 20;
  ASSERT_OK_AND_ASSIGN(const auto space,
                       make_user_namespace_by(kMaker, {.inside = 0, .outside = kMaker, .count = 65536}));
  EXPECT_EQ(map_seen_inside(space, "uid_map").value(), "0 1048576 65536");
  uid_t owner = 0;
  ASSERT_EQ(::ioctl(space.get(), NS_GET_OWNER_UID, &owner), 0);
  EXPECT_EQ(owner, kMaker);
  EXPECT_FALSE(wait_any().value()) << "no process is left";
}

TEST(UserNamespace, AnImpossibleMapByAnotherIsAnErrorToo) {
  EXPECT_FALSE(make_user_namespace_by(1 << 20, {.inside = 0, .outside = 0, .count = 0}));
  EXPECT_FALSE(wait_any().value());
}

TEST(UserNamespace, LeavesNoProcessBehind) {
  ASSERT_OK(make_user_namespace({.inside = 0, .outside = 1 << 20, .count = 1}));
  EXPECT_FALSE(wait_any().value());
}

TEST(UserNamespace, AnImpossibleMapIsAnErrorAndLeavesNoProcess) {
  EXPECT_FALSE(make_user_namespace({.inside = 0, .outside = 0, .count = 0}));
  EXPECT_FALSE(wait_any().value());
}

TEST(UserNamespace, RootThereIsNobodyHere) {
  ASSERT_OK_AND_ASSIGN(const auto space,
                       make_user_namespace({.inside = 0, .outside = 1 << 20, .count = 65536}));
  EXPECT_OK(in_child([&]() -> Result<> {
    RETURN_IF_ERROR(setns(space.get(), CLONE_NEWUSER));
    RETURN_IF_ERROR(set_ids(0, 0));
    CHILD_EXPECT(::geteuid() == 0);
    const auto denied = open("/etc/shadow", O_RDONLY);
    CHILD_EXPECT(!denied && denied.error().sys_errno == EACCES);
    return {};
  }));
}

}  // namespace
}  // namespace sys
