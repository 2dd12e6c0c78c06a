// The disks themselves, on this kernel and as root: made, filled, given back.
#include "spawner/disks.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include "spawner/chore.h"
#include "spawner/loop_image.h"
#include "sys/directory.h"
#include "tests/support/instance.h"
#include "tests/support/result.h"

namespace spawner {
namespace {

using base::Code;
using base::DiskBackend;
using base::SandboxId;
using support::FailsSaying;
using support::FailsWith;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kMi = 1 << 20;
constexpr base::DiskConfig kSmall{.default_bytes = 8 * kMi, .pool = 1, .reserve = 0};

class DisksTest : public testing::Test {
 protected:
  const base::Paths& paths() const { return instance_.paths(); }

  static struct statvfs space_of(int mount) {
    struct statvfs fs{};
    const auto root = sys::openat(mount, ".", O_RDONLY | O_DIRECTORY);
    EXPECT_TRUE(root && ::fstatvfs(root->get(), &fs) == 0);
    return fs;
  }

  support::Instance instance_ = support::Instance::make().value();
};

TEST_F(DisksTest, ALoopDiskHasItsSizeAndItsInodes) {
  ASSERT_OK_AND_ASSIGN(const auto disks, make_loop_disks(kSmall, paths()));
  for (const std::uint64_t bytes : {kMi, 8 * kMi, 100 * kMi}) {
    ASSERT_OK_AND_ASSIGN(const auto disk, disks->take(SandboxId::random(), bytes));
    const auto fs = space_of(disk.mount.get());
    EXPECT_LE(fs.f_blocks * fs.f_frsize, bytes);
    EXPECT_GE(fs.f_bavail * fs.f_frsize, bytes * 3 / 4) << bytes;
    EXPECT_LE(fs.f_files, std::max<std::uint64_t>(bytes / 4096, 128));
    EXPECT_NE(fs.f_flag & ST_NOSUID, 0U);
    EXPECT_NE(fs.f_flag & ST_NODEV, 0U);
  }
}

TEST_F(DisksTest, NoImageEverHasAName) {
  ASSERT_OK_AND_ASSIGN(const auto disks, make_loop_disks(kSmall, paths()));
  ASSERT_OK_AND_ASSIGN(const auto disk, disks->take(SandboxId::random(), 2 * kMi));
  EXPECT_THAT(sys::entries(paths().disks).value(), IsEmpty());
}

TEST_F(DisksTest, ATakenDiskIsReplacedInTheBackground) {
  ASSERT_OK_AND_ASSIGN(const auto disks, make_loop_disks(kSmall, paths()));
  EXPECT_THAT(disks->state(), HasSubstr("1 of 1 ready"));
  ASSERT_OK_AND_ASSIGN(auto disk, disks->take(SandboxId::random(), kSmall.default_bytes));
  EXPECT_THAT(disks->state(), HasSubstr("0 of 1 ready"));
  disks->tend();
  ASSERT_EQ(disks->waits().size(), 1U);
  disks->give_back(SandboxId::random(), std::move(disk.hold));
  ASSERT_OK(disks->take(SandboxId::random(), kSmall.default_bytes)) << "the one that is being made";
}

TEST_F(DisksTest, AHostWithoutRoomIsToldInWords) {
  auto config = kSmall;
  config.reserve = std::uint64_t{1} << 60;
  ASSERT_OK_AND_ASSIGN(const auto disks, make_loop_disks(config, paths()));
  const auto refused = disks->take(SandboxId::random(), config.default_bytes);
  EXPECT_THAT(refused, FailsWith(Code::kExhausted));
  EXPECT_THAT(refused, FailsSaying("no room for a disk of 8.0 MiB"));
  EXPECT_THAT(refused, FailsSaying("--disk"));
}

TEST_F(DisksTest, ADiskInMemoryCannotExceedTheMemory) {
  ASSERT_OK_AND_ASSIGN(const auto disks, make_tmpfs_disks({}, paths()));
  EXPECT_OK(disks->check(64 * kMi, 64 * kMi));
  EXPECT_THAT(disks->check(64 * kMi + 1, 64 * kMi), FailsSaying("lives in memory"));
  EXPECT_EQ(disks->default_bytes(64 * kMi), 32 * kMi);
  ASSERT_OK_AND_ASSIGN(const auto disk, disks->take(SandboxId::random(), 16 * kMi));
  const auto fs = space_of(disk.mount.get());
  EXPECT_EQ(fs.f_blocks * fs.f_frsize, 16 * kMi);
  EXPECT_EQ(fs.f_files, 4096U);
}

TEST_F(DisksTest, QuotaSaysWhatIsMissing) {
  // A directory of this test is on no file system with project quota.
  const auto made = make_quota_disks({}, paths());
  EXPECT_THAT(made, FailsWith(Code::kUnsupported));
  auto config = kSmall;
  config.backend = DiskBackend::kQuota;
  EXPECT_THAT(choose_disks(config, paths()), FailsSaying("quota: "));
}

TEST_F(DisksTest, AutoSaysWhyTheFirstIsNotUsed) {
  ASSERT_OK_AND_ASSIGN(const auto chosen, choose_disks(kSmall, paths()));
  EXPECT_EQ(chosen.disks->name(), "loop");
  EXPECT_THAT(chosen.refusals, HasSubstr("quota: "));
}

TEST(Chore, HandsBackADescriptorOrTheError) {
  ASSERT_OK_AND_ASSIGN(auto good, Chore::start([] { return sys::open("/dev/null", O_RDONLY); }, {}));
  ASSERT_OK_AND_ASSIGN(const auto fd, good.finish());
  EXPECT_TRUE(fd);
  ASSERT_OK_AND_ASSIGN(auto bad, Chore::start([] { return sys::open("/nowhere", O_RDONLY); }, {}));
  EXPECT_THAT(bad.finish(), FailsWith(Code::kNotFound));
}

TEST(Chore, OneThatDiesIsAnError) {
  ASSERT_OK_AND_ASSIGN(auto chore, Chore::start([]() -> Result<sys::UniqueFd> { ::_exit(3); }, {}));
  EXPECT_THAT(chore.finish(), FailsSaying("was killed"));
  EXPECT_TRUE(chore.is_done());
}

}  // namespace
}  // namespace spawner
