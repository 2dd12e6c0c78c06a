#include "files/place.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>

#include "tests/support/file_worker_peer.h"

namespace files {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;
using support::FailsWithErrno;
using PlaceTest = support::FilesTest;

TEST_F(PlaceTest, APathLeadsWhereTheKernelWouldGo) {
  make_dir("a");
  const auto file = make("a/file", "x");
  ASSERT_OK(sys::symlinkat("a", AT_FDCWD, dir_ / "link"));
  ASSERT_OK(sys::symlinkat("../a/./file", AT_FDCWD, dir_ / "a/back"));
  ASSERT_OK_AND_ASSIGN(const auto direct, sys::fstatat(AT_FDCWD, file));
  for (const auto* path : {"a/file", "link/file", "a/../a/file", "link/../a//file", "a/back", "./a/./file"}) {
    ASSERT_OK_AND_ASSIGN(const auto place, resolve(dir_ / path, Links::kFollow));
    ASSERT_TRUE(place.status) << path;
    EXPECT_EQ(place.status->st_ino, direct.st_ino) << path;
  }
  ASSERT_OK_AND_ASSIGN(const auto root, resolve("/../..//.", Links::kFollow));
  EXPECT_EQ(root.name, ".");
  EXPECT_TRUE(root.is_directory());
}

TEST_F(PlaceTest, TheLastLinkIsKeptWhenAsked) {
  make("file");
  ASSERT_OK(sys::symlinkat("file", AT_FDCWD, dir_ / "link"));
  EXPECT_TRUE(S_ISLNK(resolve(dir_ / "link", Links::kKeep)->status->st_mode));
  EXPECT_TRUE(S_ISREG(resolve(dir_ / "link", Links::kFollow)->status->st_mode));
}

TEST_F(PlaceTest, ALinkToNothingNamesWhatIsMissing) {
  ASSERT_OK(sys::symlinkat("missing", AT_FDCWD, dir_ / "link"));
  ASSERT_OK_AND_ASSIGN(const auto place, resolve(dir_ / "link", Links::kFollow));
  EXPECT_FALSE(place.status);
  EXPECT_EQ(place.name, "missing");
}

TEST_F(PlaceTest, LinksInACircleEnd) {
  ASSERT_OK(sys::symlinkat("b", AT_FDCWD, dir_ / "a"));
  ASSERT_OK(sys::symlinkat("a", AT_FDCWD, dir_ / "b"));
  EXPECT_THAT(resolve(dir_ / "a", Links::kFollow), FailsWithErrno(ELOOP));
}

TEST_F(PlaceTest, AFileIsNoDirectoryOnTheWay) {
  make("file");
  EXPECT_THAT(resolve(dir_ / "file/x", Links::kFollow), FailsWithErrno(ENOTDIR));
  EXPECT_THAT(resolve(dir_ / "none/x", Links::kFollow), FailsWith(Code::kNotFound));
  EXPECT_THAT(resolve(dir_ / std::string(256, 'n'), Links::kFollow), FailsWithErrno(ENAMETOOLONG));
}

TEST_F(PlaceTest, MagicLinksOfProcAreRefusedAndOrdinaryOnesFollowed) {
  for (const auto* path : {"/proc/self/root/etc", "/proc/self/cwd", "/proc/self/exe", "/proc/self/fd/0",
                           "/proc/thread-self/root/etc", "/proc/1/root/etc/passwd", "/dev/fd/0", "/dev/stdin",
                           "/proc/self/ns/net"}) {
    EXPECT_THAT(resolve(path, Links::kFollow), FailsWith(Code::kDenied)) << path;
  }
  ASSERT_OK(sys::symlinkat("/proc/self/root", AT_FDCWD, dir_ / "root"));
  EXPECT_THAT(resolve(dir_ / "root/etc/passwd", Links::kFollow), FailsSaying("link of /proc"));
  EXPECT_OK(resolve_existing("/proc/self/status", Links::kFollow));
  EXPECT_OK(resolve_existing("/proc/mounts", Links::kFollow));
  EXPECT_OK(resolve_existing("/proc/self/exe", Links::kKeep));
}

TEST_F(PlaceTest, WhatIsNoRegularFileIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo((dir_ / "fifo").c_str(), 0600), 0);
  make_dir("dir");
  ASSERT_OK_AND_ASSIGN(const auto socket, sys::listen_unix(dir_ / "socket", SOCK_STREAM));
  for (const auto& [path, words] :
       std::vector<std::pair<std::string, std::string>>{{dir_ / "fifo", "a FIFO"},
                                                        {dir_ / "dir", "a directory"},
                                                        {dir_ / "socket", "a socket"},
                                                        {"/dev/zero", "a device"}}) {
    ASSERT_OK_AND_ASSIGN(auto place, resolve(path, Links::kFollow));
    EXPECT_THAT(open_regular(place, path, O_RDONLY), FailsSaying(words)) << path;
    if (path.ends_with("socket")) continue;
    // Also when it has taken the place of a file meanwhile.
    place.status->st_mode = S_IFREG;
    EXPECT_THAT(open_regular(place, path, O_RDONLY), FailsWith(Code::kConflict)) << path;
  }
}

}  // namespace
}  // namespace files
