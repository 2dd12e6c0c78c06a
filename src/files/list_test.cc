#include <sys/stat.h>
#include <unistd.h>

#include "sys/process.h"
#include "tests/support/file_worker_peer.h"

namespace files {
namespace {

using base::Code;
using testing::ElementsAre;
using testing::IsEmpty;
using wire::file::Kind;
using wire::file::List;
using wire::file::Order;
using ListTest = support::FilesTest;

TEST_F(ListTest, StatTellsEverythingAboutAFile) {
  const auto path = make("file", "12345");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_OK(sys::symlinkat("file", AT_FDCWD, dir_ / "link"));
  const auto answer = worker_.ask(wire::file::Stat{.path = dir_ / "link"});
  ASSERT_EQ(answer.entries.size(), 1U);
  EXPECT_EQ(answer.entries[0].path, "file");
  EXPECT_EQ(answer.entries[0].kind, Kind::kFile);
  EXPECT_EQ(answer.entries[0].size, 5U);
  EXPECT_EQ(answer.entries[0].mode, 0640U);
  EXPECT_EQ(answer.entries[0].uid, ::getuid());
  EXPECT_EQ(answer.entries[0].links, 1U);
  EXPECT_NE(answer.entries[0].modified_ns, 0);
  const auto kept = worker_.ask(wire::file::Stat{.path = dir_ / "link", .links = wire::file::Links::kKeep});
  EXPECT_EQ(kept.entries.at(0).kind, Kind::kSymlink);
  EXPECT_EQ(kept.entries.at(0).target, "file");
  EXPECT_EQ(worker_.ask(wire::file::Stat{.path = dir_ / "none"}).code(), Code::kNotFound);
}

TEST_F(ListTest, DepthSaysHowFarDownAndParentsComeFirst) {
  make_dir("a");
  make_dir("a/b");
  make("a/b/c");
  make("z");
  EXPECT_THAT(worker_.ask(List{.path = dir_.path()}).paths(), ElementsAre("a", "z"));
  EXPECT_THAT(worker_.ask(List{.path = dir_.path(), .depth = 2}).paths(), ElementsAre("a", "a/b", "z"));
  EXPECT_THAT(worker_.ask(List{.path = dir_.path(), .depth = 9}).paths(),
              ElementsAre("a", "a/b", "a/b/c", "z"));
}

TEST_F(ListTest, OrderIsByNameTimeOrSize) {
  make("b", "four");
  make("a", "xx");
  make("c", "xx");
  for (const auto& [name, second] : {std::pair{"a", 100}, {"b", 300}, {"c", 200}}) {
    const timespec when[2] = {{.tv_sec = second}, {.tv_sec = second}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (dir_ / name).c_str(), when, 0), 0);
  }
  EXPECT_THAT(worker_.ask(List{.path = dir_.path()}).paths(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(worker_.ask(List{.path = dir_.path(), .order = Order::kNewestFirst}).paths(),
              ElementsAre("b", "c", "a"));
  EXPECT_THAT(worker_.ask(List{.path = dir_.path(), .order = Order::kLargestFirst}).paths(),
              ElementsAre("b", "a", "c"));
}

TEST_F(ListTest, AHugeDirectoryComesInPagesAndWhole) {
  constexpr std::size_t kMany = 20'000;
  for (std::size_t i = 0; i < kMany; ++i) make(std::to_string(100'000 + i));
  EXPECT_EQ(worker_.ask(List{.path = dir_.path()}).entries.size(), kMany);
  const auto page = worker_.ask(List{.path = dir_.path(), .skip = 12'345, .limit = 1000});
  ASSERT_EQ(page.entries.size(), 1000U);
  EXPECT_EQ(page.entries.front().path, "112345");
  EXPECT_EQ(page.done.entries, 1000U);
  EXPECT_THAT(worker_.ask(List{.path = dir_.path(), .skip = kMany, .limit = 5}).paths(), IsEmpty());
}

TEST_F(ListTest, NobodyWhoDoesNotReadIsSentMoreThanTheWindow) {
  for (std::size_t i = 0; i < 5'000; ++i) make(std::string(200, 'n') + std::to_string(i));
  worker_.credits = false;
  worker_.begin(List{.path = dir_.path()});
  support::FileAnswer answer;
  std::size_t got = 0;
  for (int i = 0; i < 5; ++i) got += std::get<wire::file::Entries>(worker_.next(answer)).entries.size();
  EXPECT_LT(got, 5'000U);
  worker_.send(wire::file::Cancel{});
  EXPECT_EQ(worker_.finish().code(), Code::kConflict) << "and it may be cancelled while it waits";
}

TEST_F(ListTest, OddNamesArriveAsTheyAre) {
  for (const std::string name : {"new\nline", "\x1b[31mred", "\xff\xfe not utf-8", "-rf", " ", "a\"b"}) {
    make(name, name);
    EXPECT_EQ(worker_.ask(wire::file::Read{.path = dir_ / name}).bytes, name);
  }
  EXPECT_THAT(worker_.ask(List{.path = dir_.path()}).paths(),
              ElementsAre("\x1b[31mred", " ", "-rf", "a\"b", "new\nline", "\xff\xfe not utf-8"));
}

TEST_F(ListTest, ADirectoryTooDeepToNameEndsTheListNotTheWorker) {
  std::string here = dir_.path();
  ASSERT_OK_AND_ASSIGN(auto at, sys::open(here, O_PATH | O_DIRECTORY));
  for (int i = 0; i < 3'000; ++i) {
    ASSERT_OK(sys::mkdirat(at.get(), "d", 0755));
    ASSERT_OK_AND_ASSIGN(at, sys::openat(at.get(), "d", O_PATH | O_DIRECTORY));
  }
  const auto answer = worker_.ask(List{.path = dir_.path(), .depth = UINT32_MAX});
  EXPECT_FALSE(answer.failed);
  EXPECT_EQ(answer.entries.size(), 2048U) << "4096 bytes of d/";
  EXPECT_FALSE(worker_.ask(wire::file::Remove{.path = dir_ / "d", .tree = 1}).failed);
}

TEST_F(ListTest, OnlyADirectoryHasAList) {
  make("file");
  EXPECT_EQ(worker_.ask(List{.path = dir_ / "file"}).code(), Code::kConflict);
  EXPECT_EQ(worker_.ask(List{.path = dir_ / "none"}).code(), Code::kNotFound);
}

}  // namespace
}  // namespace files
