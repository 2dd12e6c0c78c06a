#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "sys/directory.h"
#include "tests/support/file_worker_peer.h"

namespace files {
namespace {

using base::Code;
using testing::HasSubstr;
using testing::IsEmpty;
using wire::file::Existing;
using wire::file::MakeDirectory;
using wire::file::MakeSymlink;
using wire::file::Move;
using wire::file::Parents;
using wire::file::Remove;
using wire::file::SetMode;

class ChangeTest : public support::FilesTest {
 protected:
  bool exists(const std::string& name) { return sys::fstatat(AT_FDCWD, dir_ / name).has_value(); }
};

TEST_F(ChangeTest, DirectoriesAreMadeWithTheirParents) {
  EXPECT_EQ(worker_.ask(MakeDirectory{.path = dir_ / "a/b/c/", .mode = 0700}).done.entries, 1U);
  EXPECT_EQ(sys::fstatat(AT_FDCWD, dir_ / "a/b/c")->st_mode & 07777, 0700U);
  EXPECT_EQ(sys::fstatat(AT_FDCWD, dir_ / "a/b")->st_mode & 07777, 0755U);
  EXPECT_EQ(worker_.ask(MakeDirectory{.path = dir_ / "a/b/c"}).done.entries, 0U) << "it is there already";
  EXPECT_EQ(worker_.ask(MakeDirectory{.path = dir_ / "a", .parents = Parents::kMustExist}).code(),
            Code::kConflict);
  EXPECT_EQ(worker_.ask(MakeDirectory{.path = dir_ / "x/y", .parents = Parents::kMustExist}).code(),
            Code::kNotFound);
  make("file");
  EXPECT_EQ(worker_.ask(MakeDirectory{.path = dir_ / "file"}).code(), Code::kConflict);
  EXPECT_EQ(worker_.ask(MakeDirectory{.path = dir_ / "file/x"}).code(), Code::kConflict);
}

TEST_F(ChangeTest, AMoveReplacesUnlessToldNotTo) {
  make("a", "a");
  make("b", "b");
  EXPECT_EQ(worker_.ask(Move{.from = dir_ / "a", .to = dir_ / "b", .existing = Existing::kRefuse}).code(),
            Code::kConflict);
  EXPECT_FALSE(worker_.ask(Move{.from = dir_ / "a", .to = dir_ / "b"}).failed);
  EXPECT_EQ(text_of("b"), "a");
  EXPECT_FALSE(exists("a"));
  EXPECT_EQ(worker_.ask(Move{.from = dir_ / "a", .to = dir_ / "c"}).code(), Code::kNotFound);
  EXPECT_EQ(worker_.ask(Move{.from = "/", .to = dir_ / "c"}).code(), Code::kInvalid);
}

TEST_F(ChangeTest, AMoveBetweenDisksSaysWhatToDo) {
  make("a");
  const auto answer = worker_.ask(Move{.from = dir_ / "a", .to = "/proc/a"});
  ASSERT_TRUE(answer.failed);
  EXPECT_EQ(answer.failed->sys_errno, EXDEV);
  EXPECT_THAT(answer.failed->message, HasSubstr("copy it"));
}

TEST_F(ChangeTest, RemoveTakesAFileALinkOrAnEmptyDirectory) {
  make("file");
  make_dir("dir");
  make("dir/x");
  ASSERT_OK(sys::symlinkat("dir", AT_FDCWD, dir_ / "link"));
  EXPECT_FALSE(worker_.ask(Remove{.path = dir_ / "file"}).failed);
  EXPECT_FALSE(worker_.ask(Remove{.path = dir_ / "link", .tree = 1}).failed);
  EXPECT_TRUE(exists("dir/x")) << "a link is removed, not followed";
  const auto full = worker_.ask(Remove{.path = dir_ / "dir"});
  EXPECT_EQ(full.code(), Code::kConflict);
  EXPECT_THAT(full.failed->message, HasSubstr("as a tree"));
  EXPECT_EQ(worker_.ask(Remove{.path = dir_ / "dir", .tree = 1}).done.entries, 2U);
  EXPECT_EQ(worker_.ask(Remove{.path = dir_ / "dir", .tree = 1}).code(), Code::kNotFound);
  EXPECT_EQ(worker_.ask(Remove{.path = "/", .tree = 1}).code(), Code::kInvalid);
  EXPECT_EQ(worker_.ask(Remove{.path = dir_ / "..", .tree = 1}).code(), Code::kInvalid);
}

TEST_F(ChangeTest, ATreeTenThousandDeepIsRemoved) {
  ASSERT_OK_AND_ASSIGN(auto at, sys::open(dir_.path(), O_PATH | O_DIRECTORY));
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_OK(sys::mkdirat(at.get(), "d", 0755));
    ASSERT_OK_AND_ASSIGN(at, sys::openat(at.get(), "d", O_PATH | O_DIRECTORY));
  }
  ASSERT_OK(sys::symlinkat("/", at.get(), "to the root"));
  const auto answer = worker_.ask(Remove{.path = dir_ / "d", .tree = 1});
  EXPECT_FALSE(answer.failed) << answer.failed->message;
  EXPECT_EQ(answer.done.entries, 10'001U);
  EXPECT_THAT(*sys::entries(dir_.path()), IsEmpty());
}

TEST_F(ChangeTest, ModesAreSetThroughLinksAndOnFilesNobodyMayRead) {
  make("file");
  ASSERT_OK(sys::symlinkat("file", AT_FDCWD, dir_ / "link"));
  EXPECT_FALSE(worker_.ask(SetMode{.path = dir_ / "link", .mode = 0}).failed);
  EXPECT_FALSE(worker_.ask(SetMode{.path = dir_ / "file", .mode = 0640}).failed);
  EXPECT_EQ(sys::fstatat(AT_FDCWD, dir_ / "file")->st_mode & 07777, 0640U);
  EXPECT_EQ(worker_.ask(SetMode{.path = dir_ / "none", .mode = 0640}).code(), Code::kNotFound);
}

TEST_F(ChangeTest, ALinkIsMadeWithAnyTarget) {
  EXPECT_FALSE(worker_.ask(MakeSymlink{.target = "\xff odd\n/..", .path = dir_ / "link"}).failed);
  EXPECT_EQ(sys::readlinkat(AT_FDCWD, dir_ / "link").value(), "\xff odd\n/..");
  EXPECT_EQ(worker_.ask(MakeSymlink{.target = "x", .path = dir_ / "link"}).code(), Code::kConflict);
}

TEST_F(ChangeTest, ARequestThatIsNoneIsAnsweredAndTheNextServed) {
  EXPECT_EQ(worker_.ask(Remove{.path = "relative"}).code(), Code::kInvalid);
  EXPECT_EQ(worker_.ask(Remove{.path = std::string("/a\0b", 4)}).code(), Code::kInvalid);
  EXPECT_EQ(worker_.ask(Remove{.path = "/" + std::string(4096, 'a')}).code(), Code::kInvalid);
  EXPECT_EQ(worker_.ask(Remove{.path = dir_ / "none"}).code(), Code::kNotFound);
}

TEST_F(ChangeTest, AttributesOfTheUserAreSetReadAndRemoved) {
  // Not below /tmp: a file system in memory may have none.
  std::string path = "/var/tmp/cove-files-test.XXXXXX";
  const sys::UniqueFd file(::mkstemp(path.data()));
  using wire::file::GetAttributes;
  using wire::file::SetAttribute;
  const std::string value("a\0b", 3);
  EXPECT_FALSE(worker_.ask(SetAttribute{.path = path, .name = "user.a", .value = value}).failed);
  EXPECT_FALSE(worker_.ask(SetAttribute{.path = path, .name = "user.b", .value = ""}).failed);
  const auto both = worker_.ask(GetAttributes{.path = path});
  EXPECT_EQ(both.done.entries, 2U);
  ASSERT_EQ(both.attributes.size(), 2U);
  EXPECT_EQ(both.attributes[both.attributes[0].name == "user.a" ? 0 : 1].value, value);
  EXPECT_FALSE(worker_.ask(wire::file::RemoveAttribute{.path = path, .name = "user.b"}).failed);
  EXPECT_EQ(worker_.ask(wire::file::RemoveAttribute{.path = path, .name = "user.b"}).code(), Code::kNotFound);
  EXPECT_EQ(worker_.ask(GetAttributes{.path = path}).attributes.size(), 1U);
  EXPECT_EQ(worker_.ask(SetAttribute{.path = path, .name = "trusted.a", .value = value}).code(),
            Code::kInvalid);
  ASSERT_EQ(::unlink(path.c_str()), 0);
}

}  // namespace
}  // namespace files
