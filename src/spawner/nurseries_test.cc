#include "spawner/nurseries.h"

#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sys/process.h"
#include "tests/support/in_child.h"
#include "tests/support/result.h"

namespace spawner {
namespace {

TEST(Nurseries, ATemplateHasOneAndTwoTemplatesHaveTwo) {
  IdBlocks blocks;
  Nurseries nurseries(blocks);
  ASSERT_OK_AND_ASSIGN(const auto* one, nurseries.of("a"));
  ASSERT_OK_AND_ASSIGN(const auto* other, nurseries.of("b"));
  EXPECT_EQ(nurseries.of("a").value(), one);
  EXPECT_NE(one->slot, other->slot);
  EXPECT_EQ(nurseries.size(), 2U);
}

TEST(Nurseries, ARetiredOneGivesItsIdsBack) {
  IdBlocks blocks;
  Nurseries nurseries(blocks);
  const auto slot = nurseries.of("a").value()->slot;
  nurseries.retire("a");
  nurseries.retire("never was");
  EXPECT_EQ(nurseries.size(), 0U);
  EXPECT_EQ(nurseries.of("b").value()->slot, slot);
}

TEST(Nurseries, ARetiredOneKeepsTheIdsOfItsLivingSandboxes) {
  IdBlocks blocks;
  Nurseries nurseries(blocks);
  const auto slot = nurseries.of("a").value()->slot;
  ASSERT_OK(blocks.take_block(slot));
  nurseries.retire("a");
  EXPECT_NE(nurseries.of("b").value()->slot, slot);
}

TEST(Nurseries, OneIsNotRoots) {
  IdBlocks blocks;
  Nurseries nurseries(blocks);
  const Nursery* one = nurseries.of("a").value();
  uid_t owner = 0;
  ASSERT_EQ(::ioctl(one->user_namespace.get(), NS_GET_OWNER_UID, &owner), 0);
  EXPECT_EQ(owner, one->slot) << "what its sandboxes use up would be missing to the host's root";
}

TEST(Nurseries, WhoIsInOneMayBecomeItsIdsAndNoOther) {
  IdBlocks blocks;
  Nurseries nurseries(blocks);
  const Nursery* one = nurseries.of("a").value();
  const Nursery* other = nurseries.of("b").value();
  EXPECT_OK(support::in_child([&]() -> base::Result<> {
    RETURN_IF_ERROR(sys::setns(one->user_namespace.get(), CLONE_NEWUSER));
    CHILD_EXPECT(!sys::set_ids(other->slot + 5, other->slot + 5));
    CHILD_EXPECT(!sys::set_ids(0, 0));
    RETURN_IF_ERROR(sys::set_ids(one->slot + 5, one->slot + 5));
    CHILD_EXPECT(::geteuid() == one->slot + 5);
    return {};
  }));
}

}  // namespace
}  // namespace spawner
