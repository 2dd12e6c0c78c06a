#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "sys/directory.h"
#include "sys/private_mounts.h"
#include "tests/support/file_worker_peer.h"

namespace files {
namespace {

using base::Code;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using wire::file::How;
using wire::file::Parents;
using wire::file::Write;

class WriteTest : public support::FilesTest {
 protected:
  std::vector<std::string> names() { return sys::entries(dir_.path()).value(); }
  mode_t mode_of(const std::string& name) { return sys::fstatat(AT_FDCWD, dir_ / name)->st_mode & 07777; }
};

TEST_F(WriteTest, AFileIsReplacedAtOnce) {
  make("file", "old");
  ASSERT_EQ(::chmod((dir_ / "file").c_str(), 0751), 0);
  worker_.begin(Write{.path = dir_ / "file"});
  worker_.send_data("new text");
  EXPECT_EQ(text_of("file"), "old");
  worker_.send(wire::file::Data{});
  const auto answer = worker_.finish();
  EXPECT_EQ(answer.done.bytes, 8U);
  EXPECT_EQ(text_of("file"), "new text");
  EXPECT_EQ(mode_of("file"), 0751U) << "the mode stays, unless another is asked for";
  EXPECT_THAT(names(), ElementsAre("file"));
  EXPECT_FALSE(worker_.write(Write{.path = dir_ / "file", .mode = 0600}, "x").failed);
  EXPECT_EQ(mode_of("file"), 0600U);
}

TEST_F(WriteTest, AnAbortedWriteLeavesTheOldFile) {
  make("file", "old");
  worker_.begin(Write{.path = dir_ / "file"});
  worker_.send_data("half");
  worker_.send(wire::file::Cancel{});
  EXPECT_EQ(worker_.finish().code(), Code::kConflict);
  EXPECT_EQ(text_of("file"), "old");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(WriteTest, ACallerWhoVanishesLeavesTheOldFile) {
  make("file", "old");
  {
    support::FilePeer other;
    other.begin(Write{.path = dir_ / "file"});
    other.send_data("half");
  }
  EXPECT_EQ(text_of("file"), "old");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(WriteTest, MuchMoreThanAWindowGoesThrough) {
  worker_.begin(Write{.path = dir_ / "file"});
  constexpr int kPieces = 40;
  std::size_t taken = 0;
  support::FileAnswer answer;
  for (int i = 0; i < kPieces; ++i) {
    worker_.send_data(std::string(wire::kMaxChunk, static_cast<char>('a' + i % 26)));
    if (i < 3) continue;
    taken += std::get<wire::file::Taken>(worker_.next(answer)).bytes;
  }
  worker_.send(wire::file::Data{});
  EXPECT_EQ(worker_.finish().done.bytes, kPieces * wire::kMaxChunk);
  EXPECT_EQ(taken, (kPieces - 3) * wire::kMaxChunk);
  EXPECT_EQ(sys::fstatat(AT_FDCWD, dir_ / "file")->st_size, static_cast<off_t>(kPieces * wire::kMaxChunk));
}

TEST_F(WriteTest, CreateRefusesWhatIsThere) {
  make("file", "old");
  EXPECT_EQ(worker_.write(Write{.path = dir_ / "file", .how = How::kCreate}, "x").code(), Code::kConflict);
  EXPECT_EQ(text_of("file"), "old");
  EXPECT_FALSE(worker_.write(Write{.path = dir_ / "new", .how = How::kCreate}, "x").failed);
  EXPECT_EQ(text_of("new"), "x");
  EXPECT_EQ(mode_of("new"), 0644U);
}

TEST_F(WriteTest, TwoWritersOfOnePathLeaveOneWholeFile) {
  support::FilePeer other;
  worker_.begin(Write{.path = dir_ / "file"});
  other.begin(Write{.path = dir_ / "file"});
  worker_.send_data("first first");
  other.send_data("second");
  worker_.send_data(" first");
  worker_.send(wire::file::Data{});
  EXPECT_FALSE(worker_.finish().failed);
  EXPECT_EQ(text_of("file"), "first first first");
  other.send(wire::file::Data{});
  EXPECT_FALSE(other.finish().failed);
  EXPECT_EQ(text_of("file"), "second");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(WriteTest, APatchChangesARangeInPlaceAndAppendAddsToTheEnd) {
  const auto path = make("file", "0123456789");
  const auto before = sys::fstatat(AT_FDCWD, path)->st_ino;
  EXPECT_FALSE(worker_.write(Write{.path = path, .how = How::kPatch, .offset = 3}, "abc").failed);
  EXPECT_EQ(text_of("file"), "012abc6789");
  EXPECT_FALSE(worker_.write(Write{.path = path, .how = How::kAppend}, "!").failed);
  EXPECT_EQ(text_of("file"), "012abc6789!");
  EXPECT_EQ(sys::fstatat(AT_FDCWD, path)->st_ino, before);
  EXPECT_FALSE(worker_.write(Write{.path = dir_ / "log", .how = How::kAppend}, "line").failed);
  EXPECT_EQ(text_of("log"), "line");
  EXPECT_EQ(worker_.write(Write{.path = dir_ / "none", .how = How::kPatch}, "x").code(), Code::kNotFound);
}

TEST_F(WriteTest, ALinkStaysAndItsTargetIsWritten) {
  make("file", "old");
  ASSERT_OK(sys::symlinkat("file", AT_FDCWD, dir_ / "link"));
  EXPECT_FALSE(worker_.write(Write{.path = dir_ / "link"}, "new").failed);
  EXPECT_EQ(text_of("file"), "new");
  EXPECT_OK(sys::readlinkat(AT_FDCWD, dir_ / "link"));
}

TEST_F(WriteTest, MissingDirectoriesAreMadeWhenAsked) {
  EXPECT_EQ(worker_.write(Write{.path = dir_ / "a/b/file"}, "x").code(), Code::kNotFound);
  EXPECT_FALSE(worker_.write(Write{.path = dir_ / "a/b/file", .parents = Parents::kMake}, "x").failed);
  EXPECT_EQ(text_of("a/b/file"), "x");
}

TEST_F(WriteTest, WhatIsNoRegularFileIsRefused) {
  ASSERT_EQ(::mkfifo((dir_ / "fifo").c_str(), 0600), 0);
  make_dir("dir");
  for (const auto how : {How::kReplace, How::kCreate, How::kPatch, How::kAppend}) {
    for (const std::string& path : {dir_ / "fifo", dir_ / "dir", std::string("/dev/null"), dir_ / "new/"}) {
      const auto answer = worker_.write(Write{.path = path, .how = how}, "x");
      EXPECT_EQ(answer.code(), Code::kConflict) << path;
    }
  }
  EXPECT_EQ(worker_.write(Write{.path = "/proc/self/comm", .how = How::kPatch}, "x").code(), Code::kConflict);
  EXPECT_THAT(names(), UnorderedElementsAre("fifo", "dir"));
}

TEST_F(WriteTest, MoreDataThanTheWindowEndsTheCall) {
  worker_.begin(wire::file::List{.path = "/usr", .depth = 3});
  worker_.credits = false;
  worker_.send_data(std::string(wire::file::kWindow + wire::kMaxChunk, 'x'));
  EXPECT_EQ(worker_.finish().code(), Code::kInvalid);
}

}  // namespace
}  // namespace files
