// Real groups, sockets and network namespaces, no sandboxes.
#include "spawner/berths.h"

#include <sys/stat.h>

#include "spawner/records.h"
#include "sys/directory.h"
#include "tests/support/instance.h"
#include "tests/support/result.h"
#include "tests/support/throwaway_cgroups.h"

namespace spawner {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class BerthsTest : public testing::Test {
 protected:
  static ino_t inode(const sys::UniqueFd& fd) {
    struct stat st{};
    EXPECT_EQ(::fstat(fd.get(), &st), 0);
    return st.st_ino;
  }
  std::vector<std::string> groups() { return cgroups_.tree().list().value(); }

  support::Instance instance_ = support::Instance::make().value();
  support::ThrowawayCgroups cgroups_ = support::ThrowawayCgroups::make().value();
  IdBlocks blocks_;
  Nurseries nurseries_{blocks_};
  Berths berths_{instance_.paths(), cgroups_.tree(), blocks_};
  const Nursery& nursery_ = *nurseries_.of("template").value();
};

TEST_F(BerthsTest, NoTwoShareAnything) {
  ASSERT_OK_AND_ASSIGN(const auto one, berths_.take(nursery_));
  ASSERT_OK_AND_ASSIGN(const auto two, berths_.take(nursery_));
  EXPECT_NE(one.id, two.id);
  EXPECT_NE(one.first_id, two.first_id);
  EXPECT_NE(inode(one.network), inode(two.network));
  EXPECT_NE(inode(one.group.unified), inode(two.group.unified));
  const auto here = sys::open("/proc/self/ns/net", O_RDONLY).value();
  EXPECT_NE(inode(one.network), inode(here));
}

TEST_F(BerthsTest, WhatWasMadeAheadIsTakenFirstAndOnce) {
  for (std::size_t i = 0; i < Berths::kAhead; ++i) {
    EXPECT_TRUE(berths_.wants_more(nursery_));
    ASSERT_OK(berths_.prepare(nursery_));
  }
  EXPECT_FALSE(berths_.wants_more(nursery_));
  const auto made = groups();
  ASSERT_THAT(made, SizeIs(Berths::kAhead));
  ASSERT_OK_AND_ASSIGN(const auto taken, berths_.take(nursery_));
  EXPECT_THAT(made, testing::Contains(taken.id.text()));
  EXPECT_THAT(groups(), SizeIs(Berths::kAhead)) << "nothing new was made for it";
  EXPECT_TRUE(berths_.wants_more(nursery_));
}

TEST_F(BerthsTest, WhatIsGivenUpIsToldWithItsIds) {
  ASSERT_OK(berths_.prepare(nursery_));
  const auto given_up = berths_.give_up(nursery_.slot);
  ASSERT_THAT(given_up, SizeIs(1));
  EXPECT_EQ(given_up[0].id.text(), groups().at(0));
  EXPECT_THAT(berths_.give_up_all(), IsEmpty());
}

TEST_F(BerthsTest, AFailedAttemptIsTold) {
  // The socket has no place to be.
  ASSERT_OK(sys::unlinkat(AT_FDCWD, instance_.paths().sandboxes, AT_REMOVEDIR));
  EXPECT_FALSE(berths_.take(nursery_));
  const auto failures = berths_.take_failures();
  EXPECT_THAT(failures, SizeIs(1)) << "what there is of it can be ended";
  EXPECT_THAT(berths_.take_failures(), IsEmpty());
  ASSERT_OK(sys::mkdirat(AT_FDCWD, instance_.paths().sandboxes, 0700));
}

}  // namespace
}  // namespace spawner
