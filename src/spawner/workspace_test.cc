#include "spawner/workspace.h"

#include "sys/temp_dir.h"
#include "tests/support/result.h"

namespace spawner {
namespace {

using base::Code;
using jail::Access;
using support::FailsSaying;
using support::FailsWith;

constexpr std::uint32_t kFirstId = 1 << 20;

// root/ is allowed; root/data belongs to an ordinary user, root/mine to root.
class Workspace : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"root", "root/data", "root/data/deep", "root/mine", "outside"}) {
      ASSERT_OK(sys::mkdirat(AT_FDCWD, dir_ / name, 0755));
    }
    for (const char* name : {"root/data", "root/data/deep", "outside"}) {
      ASSERT_OK(sys::fchownat(AT_FDCWD, dir_ / name, 1001, 100));
    }
    ASSERT_OK(sys::create_file_at(AT_FDCWD, dir_ / "root/file", ""));
    ASSERT_OK(sys::symlinkat(dir_ / "outside", AT_FDCWD, dir_ / "root/link"));
    ASSERT_OK(sys::symlinkat("data", AT_FDCWD, dir_ / "root/inner"));
  }

  base::Result<> try_open(const std::string& path, Access access = Access::kReadWrite) {
    jail::Wiring wiring;
    RETURN_IF_ERROR(open_workspace({path, access, kFirstId}, {"/nowhere", dir_ / "root"}, wiring));
    ASSIGN_OR_RETURN(const auto st, sys::fstat(wiring.workspace.get()));
    ASSIGN_OR_RETURN(const auto wanted, sys::fstatat(AT_FDCWD, path));
    if (st.st_ino != wanted.st_ino) return base::fail(Code::kInternal, "another directory was opened");
    return {};
  }

  sys::TempDir dir_ = sys::TempDir::make().value();
};

TEST_F(Workspace, ADirectoryBelowAnAllowedRootIsOpened) {
  EXPECT_OK(try_open(dir_ / "root/data"));
  EXPECT_OK(try_open(dir_ / "root/data/deep"));
}

TEST_F(Workspace, TheAllowedRootItselfMayBeOne) { EXPECT_OK(try_open(dir_ / "root", Access::kReadOnly)); }

TEST_F(Workspace, WhatLiesElsewhereIsDeniedWithTheWayToAllowIt) {
  EXPECT_THAT(try_open(dir_ / "outside"), FailsWith(Code::kDenied));
  EXPECT_THAT(try_open(dir_ / "outside"), FailsSaying("workspace_roots"));
  EXPECT_THAT(try_open("/etc"), FailsWith(Code::kDenied));
  EXPECT_THAT(try_open(""), FailsWith(Code::kDenied));
}

TEST_F(Workspace, ANameThatOnlyBeginsLikeARootIsElsewhere) {
  ASSERT_OK(sys::mkdirat(AT_FDCWD, dir_ / "root-2", 0755));
  EXPECT_THAT(try_open(dir_ / "root-2"), FailsWith(Code::kDenied));
}

TEST_F(Workspace, NoLinkIsFollowedAndNobodyClimbsOut) {
  EXPECT_FALSE(try_open(dir_ / "root/link"));
  EXPECT_FALSE(try_open(dir_ / "root/inner"));
  EXPECT_FALSE(try_open(dir_ / "root/inner/deep"));
  EXPECT_FALSE(try_open(dir_ / "root/../outside"));
  EXPECT_FALSE(try_open(dir_ / "root/data/../../outside"));
}

TEST_F(Workspace, AFileIsNone) { EXPECT_FALSE(try_open(dir_ / "root/file", Access::kReadOnly)); }

TEST_F(Workspace, RootsOwnDirectoryIsNeverWritable) {
  EXPECT_THAT(try_open(dir_ / "root/mine"), FailsSaying("belongs to root"));
  EXPECT_OK(try_open(dir_ / "root/mine", Access::kReadOnly));
}

TEST_F(Workspace, NorIsOneOfRootsGroup) {
  ASSERT_OK(sys::fchownat(AT_FDCWD, dir_ / "root/data", 1001, 0));
  EXPECT_THAT(try_open(dir_ / "root/data"), FailsSaying("group"));
  EXPECT_OK(try_open(dir_ / "root/data", Access::kReadOnly));
}

TEST_F(Workspace, WithoutAllowedRootsThereIsNone) {
  jail::Wiring wiring;
  EXPECT_THAT(open_workspace({dir_ / "root/data", Access::kReadOnly, kFirstId}, {}, wiring),
              FailsWith(Code::kDenied));
}

}  // namespace
}  // namespace spawner
