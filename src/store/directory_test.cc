#include "store/directory.h"

#include <unistd.h>

#include "tests/support/fresh_store.h"

namespace store {
namespace {

using base::Code;
using support::at;
using support::FailsSaying;
using support::FailsWith;

mode_t mode_of(const std::string& path) { return sys::fstatat(AT_FDCWD, path)->st_mode & 07777; }
Owner myself() { return {.uid = ::geteuid(), .gid = ::getegid()}; }

TEST(Directory, IsMadeForItsOwnerAndReachable) {
  ASSERT_OK_AND_ASSIGN(const auto dir, sys::TempDir::make());
  ASSERT_OK(prepare_directory(dir / "state", myself()));
  EXPECT_EQ(mode_of(dir / "state"), 0711);
  EXPECT_EQ(mode_of(directory_of(dir / "state")), 0700);
  ASSERT_OK(Store::open(database_of(dir / "state"), at(0)));
  ASSERT_OK(prepare_directory(dir / "state", myself()));
}

TEST(Directory, IsMadeForACommandToo) {
  ASSERT_OK_AND_ASSIGN(const auto dir, sys::TempDir::make());
  ASSERT_OK(become_owner_of_directory(dir / "state"));
  EXPECT_EQ(mode_of(directory_of(dir / "state")), 0700);
}

TEST(Directory, ALinkInItsPlaceIsRefused) {
  ASSERT_OK_AND_ASSIGN(const auto dir, sys::TempDir::make());
  ASSERT_OK(sys::mkdirat(AT_FDCWD, dir / "elsewhere", 0755));
  ASSERT_OK(sys::symlinkat("elsewhere", AT_FDCWD, dir / "server"));
  EXPECT_FALSE(prepare_directory(dir.path(), myself()));
  EXPECT_FALSE(become_owner_of_directory(dir.path()));
  EXPECT_EQ(mode_of(dir / "elsewhere"), 0755);
}

TEST(Directory, WhatIsNoFileOfItsOwnIsNotGivenAway) {
  ASSERT_OK_AND_ASSIGN(const auto dir, sys::TempDir::make());
  ASSERT_OK(prepare_directory(dir.path(), myself()));
  ASSERT_OK(sys::create_file_at(AT_FDCWD, dir / "precious", ""));
  ASSERT_EQ(::link((dir / "precious").c_str(), (dir / "server/cove.db-wal").c_str()), 0);
  const Owner other{.uid = myself().uid + 1, .gid = myself().gid};
  EXPECT_THAT(prepare_directory(dir.path(), other), FailsSaying("not a file of the server's own"));
  ASSERT_OK(sys::unlinkat(AT_FDCWD, dir / "server/cove.db-wal"));
  ASSERT_OK(sys::symlinkat("../precious", AT_FDCWD, dir / "server/cove.db-wal"));
  EXPECT_FALSE(prepare_directory(dir.path(), other));
  EXPECT_EQ(sys::fstatat(AT_FDCWD, dir / "precious")->st_uid, myself().uid);
}

}  // namespace
}  // namespace store
