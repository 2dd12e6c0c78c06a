// The disks themselves, on this kernel and as root: made, filled, given back.
#include "spawner/disks.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include "spawner/chore.h"
#include "spawner/loop_image.h"
#include "sys/directory.h"
#include "sys/loop.h"
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
using testing::SizeIs;

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

// Of the default size, as a sandbox leaves it; what it wrote is still in memory.
class UsedDiskTest : public DisksTest {
 protected:
  void SetUp() override {
    disks_ = make_loop_disks(kSmall, paths()).value();
    disk_ = disks_->take(id_, kSmall.default_bytes).value();
    writes_ = sys::device_writes(disk_.mount.get()).value();
    ASSERT_OK(sys::mkdirat(disk_.mount.get(), "upper", 0755));
    ASSERT_OK(sys::create_file_at(disk_.mount.get(), "upper/secret", "of the last one"));
  }
  static dev_t device_of(int mount) { return sys::fstat(mount).value().st_dev; }
  static std::vector<std::string> entries_of(int mount) {
    return sys::entries_at(sys::openat(mount, ".", O_RDONLY | O_DIRECTORY).value().get()).value();
  }

  const SandboxId id_ = SandboxId::random();
  std::unique_ptr<Disks> disks_;
  Disk disk_;
  std::uint64_t writes_ = 0;
};

TEST_F(UsedDiskTest, HardlyUsedItIsEmptiedForTheNext) {
  const dev_t device = device_of(disk_.mount.get());
  disk_.mount.reset();
  disks_->give_back(id_, std::move(disk_.hold));
  EXPECT_THAT(disks_->state(), HasSubstr("1 being emptied"));
  ASSERT_OK_AND_ASSIGN(const auto next, disks_->take(SandboxId::random(), kSmall.default_bytes));
  EXPECT_EQ(device_of(next.mount.get()), device);
  EXPECT_THAT(entries_of(next.mount.get()), IsEmpty());
}

TEST_F(UsedDiskTest, WhatReachedTheDeviceIsNotHandedOn) {
  ASSERT_OK_AND_ASSIGN(const auto root, sys::openat(disk_.mount.get(), ".", O_RDONLY | O_DIRECTORY));
  ASSERT_EQ(::syncfs(root.get()), 0);
  EXPECT_THAT(renew(disk_.mount.get(), writes_), FailsSaying("reached the device"));
}

TEST_F(UsedDiskTest, ManyFilesAreNotHandedOn) {
  for (int i = 0; i < 600; ++i) {
    ASSERT_OK(sys::create_file_at(disk_.mount.get(), "upper/" + std::to_string(i), ""));
  }
  EXPECT_THAT(renew(disk_.mount.get(), writes_), FailsSaying("too much to remove"));
}

TEST_F(UsedDiskTest, NoMoreAreKeptThanThePoolHolds) {
  ASSERT_OK_AND_ASSIGN(auto other, disks_->take(SandboxId::random(), kSmall.default_bytes));
  disks_->give_back(id_, std::move(disk_.hold));
  disks_->give_back(SandboxId::random(), std::move(other.hold));
  EXPECT_THAT(disks_->state(), HasSubstr("1 being emptied, 1 being removed"));
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

Result<Chore::Made> opened(const std::vector<std::string>& paths) {
  Chore::Made made;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(auto fd, sys::open(path, O_RDONLY));
    made.push_back(std::move(fd));
  }
  return made;
}

TEST(Chore, HandsBackDescriptorsOrTheError) {
  ASSERT_OK_AND_ASSIGN(auto good, Chore::start([] { return opened({"/dev/null", "/dev/zero"}); }, {}));
  ASSERT_OK_AND_ASSIGN(const auto fds, good.finish());
  EXPECT_THAT(fds, SizeIs(2));
  ASSERT_OK_AND_ASSIGN(auto bad, Chore::start([] { return opened({"/nowhere"}); }, {}));
  EXPECT_THAT(bad.finish(), FailsWith(Code::kNotFound));
}

TEST(Chore, OneThatDiesIsAnError) {
  ASSERT_OK_AND_ASSIGN(auto chore, Chore::start([]() -> Result<Chore::Made> { ::_exit(3); }, {}));
  EXPECT_THAT(chore.finish(), FailsSaying("was killed"));
  EXPECT_TRUE(chore.is_done());
}

}  // namespace
}  // namespace spawner
