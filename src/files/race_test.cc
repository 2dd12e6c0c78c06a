// Calls that race with somebody who swaps a part of their path, over and over, for a link that leads where no
// call may go: out of the order of the file system through /proc, or out of the tree that a call works on.
// The same race is first won against code that looks and then trusts the kernel with the path.
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "tests/support/archives.h"

namespace files {
namespace {

using testing::ElementsAre;

constexpr int kRounds = 1'500;        // of each call
constexpr int kPatience = 2'000'000;  // until the control has to have lost

class RaceTest : public support::FilesTest {
 protected:
  // "here/door" is a directory with a file in it; "here/link", which changes places with it, leads to the
  // forbidden one.
  void SetUp() override {
    make_dir("forbidden");
    ASSERT_EQ(::chmod(make("forbidden/file", "secret").c_str(), 0600), 0);
    make_dir("here");
    make_dir("here/door");
    make("here/door/file", "plain");
    forbidden_ = sys::open(dir_ / "forbidden", O_PATH | O_DIRECTORY).value();
  }
  void swap_with_link_to(const std::string& target) {
    ASSERT_OK(sys::symlinkat(target, AT_FDCWD, dir_ / "here/link"));
    auto here = sys::open(dir_ / "here", O_PATH | O_DIRECTORY).value();
    swapper_ = std::jthread([here = std::move(here)](const std::stop_token& stop) {
      const int fd = here.get();
      while (!stop.stop_requested()) (void)::renameat2(fd, "door", fd, "link", RENAME_EXCHANGE);
    });
  }
  void TearDown() override {
    swapper_ = {};
    EXPECT_EQ(text_of("forbidden/file"), "secret");
    EXPECT_THAT(sys::entries(dir_ / "forbidden").value(), ElementsAre("file"));
    EXPECT_EQ(sys::fstatat(AT_FDCWD, dir_ / "forbidden/file")->st_mode & 07777, 0600U);
  }
  std::string magic() const { return "/proc/self/fd/" + std::to_string(forbidden_.get()); }
  bool door_is_a_directory() const {
    const auto status = sys::fstatat(AT_FDCWD, door_);
    return status && S_ISDIR(status->st_mode);
  }

  sys::UniqueFd forbidden_;
  std::string door_ = dir_ / "here/door";
  std::jthread swapper_;
};

TEST_F(RaceTest, ControlWhoLooksAndThenOpensByPathIsLedAstray) {
  swap_with_link_to(magic());
  std::string got;
  for (int i = 0; i < kPatience && got != "secret"; ++i) {
    if (door_is_a_directory()) got = sys::read_file(door_ + "/file").value_or("");
  }
  EXPECT_EQ(got, "secret");
}

TEST_F(RaceTest, NoReadingCallGoesThroughASwappedMagicLink) {
  swap_with_link_to(magic());
  int refused = 0;
  for (int i = 0; i < kRounds; ++i) {
    const auto read = worker_.ask(wire::file::Read{.path = door_ + "/file"});
    EXPECT_NE(read.bytes, "secret");
    refused += read.failed ? 1 : 0;
    const auto packed = worker_.ask(wire::file::Pack{.path = door_});
    EXPECT_EQ(packed.bytes.find("secret"), std::string::npos);
    for (const auto& entry : worker_.ask(wire::file::Stat{.path = door_ + "/file"}).entries) {
      EXPECT_EQ(entry.size, 5U) << "that of the plain one";
    }
    for (const auto& entry : worker_.ask(wire::file::List{.path = door_}).entries) EXPECT_EQ(entry.size, 5U);
    EXPECT_THAT(worker_.ask(wire::file::GetAttributes{.path = door_ + "/file"}).attributes,
                testing::IsEmpty());
  }
  EXPECT_GT(refused, 0) << "nobody has raced";
  EXPECT_LT(refused, kRounds) << "nobody has raced";
}

TEST_F(RaceTest, NoChangingCallGoesThroughASwappedMagicLink) {
  swap_with_link_to(magic());
  const std::string archive = support::archive_of({{.path = "unpacked", .content = "x"}});
  int done = 0;
  for (int i = 0; i < kRounds; ++i) {
    const std::string name = door_ + "/n" + std::to_string(i);
    const std::vector<wire::file::Request> requests{
        wire::file::MakeDirectory{.path = name},
        wire::file::MakeSymlink{.target = "x", .path = name + "l"},
        wire::file::SetMode{.path = door_ + "/file", .mode = 0666},
        wire::file::SetAttribute{.path = door_ + "/file", .name = "user.k", .value = "v"},
        wire::file::Move{.from = door_ + "/file", .to = door_ + "/moved"},
        wire::file::Move{.from = door_ + "/moved", .to = door_ + "/file"},
        wire::file::Remove{.path = name, .tree = 1}};
    for (const auto& request : requests) done += worker_.ask(request).failed ? 0 : 1;
    for (const auto how : {wire::file::How::kReplace, wire::file::How::kPatch, wire::file::How::kAppend}) {
      done += worker_.write(wire::file::Write{.path = door_ + "/file", .how = how}, "plain").failed ? 0 : 1;
    }
    done += worker_.ask(wire::file::Remove{.path = name + "l"}).failed ? 0 : 1;
    // Now and then, because it waits for the disk.
    if (i % 50 == 0) (void)worker_.write(wire::file::Unpack{.path = door_}, archive);
  }
  EXPECT_GT(done, 0);
  EXPECT_LT(done, kRounds * 11) << "nobody has raced";
}

TEST_F(RaceTest, ControlWhoRemovesATreeByItsPathsRemovesWhatALinkLeadsTo) {
  make_dir("bait");
  make("bait/file");
  swap_with_link_to(dir_ / "bait");
  int i = 0;
  for (; i < kPatience && ::access((dir_ / "bait/file").c_str(), F_OK) == 0; ++i) {
    if (door_is_a_directory()) (void)::unlink((door_ + "/file").c_str());
  }
  EXPECT_LT(i, kPatience);
}

TEST_F(RaceTest, ATreeIsRemovedPackedAndListedWithoutALinkThatIsPutIntoIt) {
  swap_with_link_to(dir_ / "forbidden");
  for (int i = 0; i < kRounds; ++i) {
    EXPECT_EQ(worker_.ask(wire::file::Pack{.path = dir_ / "here"}).bytes.find("secret"), std::string::npos);
    for (const auto& entry : worker_.ask(wire::file::List{.path = dir_ / "here", .depth = 9}).entries) {
      if (entry.path.ends_with("/file")) EXPECT_EQ(entry.size, 5U);
    }
  }
  for (int i = 0; i < kRounds && ::access((dir_ / "here").c_str(), F_OK) == 0; ++i) {
    (void)worker_.ask(wire::file::Remove{.path = dir_ / "here", .tree = 1});
  }
  EXPECT_FALSE(sys::fstatat(AT_FDCWD, dir_ / "here"));
}

}  // namespace
}  // namespace files
