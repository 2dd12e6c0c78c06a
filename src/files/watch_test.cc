#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tests/support/file_worker_peer.h"

namespace files {
namespace {

using base::Code;
using wire::file::Change;
using wire::file::Changed;
using wire::file::Watch;

class WatchTest : public support::FilesTest {
 protected:
  void watch(std::uint8_t tree) {
    worker_.begin(Watch{.path = dir_.path(), .tree = tree});
    EXPECT_EQ(next().change, Change::kWatching);
  }
  Changed next() {
    support::FileAnswer answer;
    const auto event = worker_.next(answer);
    EXPECT_TRUE(std::holds_alternative<Changed>(event)) << (answer.failed ? answer.failed->message : "");
    const auto* changed = std::get_if<Changed>(&event);
    return changed != nullptr ? *changed : Changed{};
  }
  // What is told until this has been.
  std::vector<std::pair<Change, std::string>> until(Change change, const std::string& path) {
    std::vector<std::pair<Change, std::string>> all;
    while (all.empty() || all.back() != std::pair{change, path}) {
      const Changed changed = next();
      all.emplace_back(changed.change, changed.path);
      if (testing::Test::HasFailure()) break;
    }
    return all;
  }
  static bool has(const std::vector<std::pair<Change, std::string>>& all, Change change,
                  const std::string& path) {
    return std::ranges::find(all, std::pair{change, path}) != all.end();
  }
};

TEST_F(WatchTest, EveryKindOfChangeIsTold) {
  watch(0);
  make("a", "text");
  EXPECT_TRUE(has(until(Change::kModified, "a"), Change::kCreated, "a"));
  ASSERT_EQ(::chmod((dir_ / "a").c_str(), 0600), 0);
  until(Change::kAttributes, "a");
  ASSERT_EQ(::rename((dir_ / "a").c_str(), (dir_ / "b").c_str()), 0);
  EXPECT_TRUE(has(until(Change::kCreated, "b"), Change::kRemoved, "a"));
  ASSERT_EQ(::unlink((dir_ / "b").c_str()), 0);
  until(Change::kRemoved, "b");
  worker_.send(wire::file::Cancel{});
  EXPECT_EQ(worker_.finish().code(), Code::kConflict);
}

TEST_F(WatchTest, NewDirectoriesAreWatchedWithWhatIsInThem) {
  make_dir("old");
  watch(1);
  make("old/file");
  until(Change::kCreated, "old/file");
  make_dir("new");
  make_dir("new/deep");
  make("new/deep/early");
  const auto found = until(Change::kCreated, "new/deep/early");
  EXPECT_TRUE(has(found, Change::kCreated, "new"));
  EXPECT_TRUE(has(found, Change::kCreated, "new/deep"));
  make("new/deep/late");
  until(Change::kCreated, "new/deep/late");
  ASSERT_EQ(::rename((dir_ / "new").c_str(), (dir_ / "moved").c_str()), 0);
  until(Change::kCreated, "moved/deep/late");
  make("moved/deep/again");
  EXPECT_FALSE(has(until(Change::kCreated, "moved/deep/again"), Change::kCreated, "new/deep/again"));
}

TEST_F(WatchTest, OneDirectoryAloneIsWatchedWhenAsked) {
  make_dir("d");
  watch(0);
  make("d/hidden");
  make("seen");
  EXPECT_FALSE(has(until(Change::kCreated, "seen"), Change::kCreated, "d/hidden"));
}

TEST_F(WatchTest, MoreThanCanBeKeptIsToldAsLost) {
  watch(1);
  worker_.credits = false;
  // Nobody takes what is told, so the window fills, and then the kernel's queue.
  for (int i = 0; i < 14'000; ++i) {
    const auto path = make(std::to_string(i));
    ASSERT_EQ(::unlink(path.c_str()), 0);
  }
  make_dir("late");
  worker_.credits = true;
  // The window is credited at once: the peer acknowledges what it reads from now on, and the rest it owes.
  for (int i = 0; i < 2; ++i) worker_.send(wire::file::Credit{.bytes = wire::file::kWindow / 2});
  while (next().change != Change::kOverflow) ASSERT_FALSE(testing::Test::HasFailure());
  make("late/file");
  until(Change::kCreated, "late/file");
}

TEST_F(WatchTest, TheEndOfTheDirectoryIsTheEndOfTheWatch) {
  make_dir("d");
  worker_.begin(Watch{.path = dir_ / "d", .tree = 1});
  EXPECT_EQ(next().change, Change::kWatching);
  ASSERT_EQ(::rmdir((dir_ / "d").c_str()), 0);
  until(Change::kRemoved, "");
  EXPECT_FALSE(worker_.finish().failed);
  make("file");
  EXPECT_EQ(worker_.ask(Watch{.path = dir_ / "file"}).code(), Code::kConflict);
}

}  // namespace
}  // namespace files
