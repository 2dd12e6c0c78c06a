#include "engine/known_tree.h"

#include <sys/stat.h>

#include "sys/temp_dir.h"
#include "tests/support/result.h"

namespace engine {
namespace {

using base::Code;
using support::FailsWith;
using testing::ElementsAre;
using wire::file::Entry;

class KnownTreeTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto* name : {"home", "home/user", "home/user/d"}) {
      ASSERT_OK(sys::mkdirat(AT_FDCWD, dir_ / name, 0755));
    }
    ASSERT_OK(sys::create_file_at(AT_FDCWD, dir_ / "home/user/d/file", "12345"));
    ASSERT_OK(sys::create_file_at(AT_FDCWD, dir_ / "home/user/d e", ""));
  }

  sys::TempDir dir_ = sys::TempDir::make().value();
};

TEST_F(KnownTreeTest, TellsWhatTheSandboxWouldInItsOrder) {
  ASSERT_OK(sys::symlinkat("/etc", AT_FDCWD, dir_ / "home/user/link"));
  ASSERT_OK(sys::mkdirat(AT_FDCWD, dir_ / "home/user/.cache", 0755));
  ASSERT_OK_AND_ASSIGN(const auto listing, list_known_tree(dir_.path(), "/home/user"));
  std::vector<std::string> paths;
  for (const Entry& entry : listing.entries) paths.push_back(entry.path);
  EXPECT_THAT(paths, ElementsAre("d", "d/file", "d e", "link"));
  const auto status = sys::fstatat(AT_FDCWD, dir_ / "home/user/d/file").value();
  EXPECT_EQ(listing.entries[1].size, 5U);
  EXPECT_EQ(listing.entries[1].inode, status.st_ino);
  EXPECT_EQ(listing.entries[1].modified_ns, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec);
  EXPECT_EQ(listing.entries[3].target, "/etc");
}

TEST_F(KnownTreeTest, GoesThroughNoLink) {
  ASSERT_OK(sys::symlinkat(dir_ / "home", AT_FDCWD, dir_ / "other"));
  EXPECT_FALSE(list_known_tree(dir_.path(), "/other/user"));
  ASSERT_OK(sys::symlinkat("d", AT_FDCWD, dir_ / "home/user/link"));
  EXPECT_FALSE(list_known_tree(dir_.path(), "/home/user/link"));
}

TEST_F(KnownTreeTest, WhatNoHomeHasIsLeftToTheSandboxToTell) {
  ASSERT_EQ(::mkfifo((dir_ / "home/user/fifo").c_str(), 0600), 0);
  EXPECT_THAT(list_known_tree(dir_.path(), "/home/user"), FailsWith(Code::kUnsupported));
  EXPECT_THAT(list_known_tree(dir_.path(), "/none"), FailsWith(Code::kNotFound));
}

}  // namespace
}  // namespace engine
