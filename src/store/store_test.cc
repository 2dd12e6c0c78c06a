#include "store/store.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <thread>

#include "store/database.h"
#include "sys/file.h"
#include "tests/support/fresh_store.h"

namespace store {
namespace {

using base::Code;
using support::at;
using support::FailsSaying;
using support::FailsWith;
using support::FreshStore;

mode_t mode_of(const std::string& path) { return sys::fstatat(AT_FDCWD, path)->st_mode & 07777; }

TEST(Store, HasADefaultTeamOnceAndForAll) {
  FreshStore store;
  const auto team = store.default_team();
  store.reopen();
  EXPECT_EQ(store.default_team(), team);
  EXPECT_THAT(store->teams().remove(team), FailsWith(Code::kConflict));
}

TEST(Store, ItsFilesAreForTheirOwnerOnly) {
  FreshStore store;
  ASSERT_OK(store->teams().create("a", at(0)));
  for (const char* suffix : {"", "-wal", "-shm"}) EXPECT_EQ(mode_of(store.path() + suffix), 0600) << suffix;
}

TEST(Store, AnExistingFileLosesTheRightsOfOthers) {
  ASSERT_OK_AND_ASSIGN(const auto dir, sys::TempDir::make());
  ASSERT_OK(sys::create_file_at(AT_FDCWD, dir / "cove.db", "", 0666));
  ASSERT_OK(Store::open(dir / "cove.db", at(0)));
  EXPECT_EQ(mode_of(dir / "cove.db"), 0600);
}

TEST(Store, ALinkIsNotFollowed) {
  ASSERT_OK_AND_ASSIGN(const auto dir, sys::TempDir::make());
  ASSERT_OK(sys::create_file_at(AT_FDCWD, dir / "elsewhere", ""));
  ASSERT_OK(sys::symlinkat("elsewhere", AT_FDCWD, dir / "cove.db"));
  EXPECT_FALSE(Store::open(dir / "cove.db", at(0)));
  ASSERT_OK(sys::mkdirat(AT_FDCWD, dir / "real", 0700));
  ASSERT_OK(sys::symlinkat("real", AT_FDCWD, dir / "linked"));
  EXPECT_FALSE(Store::open(dir / "linked/cove.db", at(0)));
}

TEST(Store, WhatIsNoDatabaseIsRefusedAndLeftAlone) {
  ASSERT_OK_AND_ASSIGN(const auto dir, sys::TempDir::make());
  const std::string text(10'000, 'x');
  ASSERT_OK(sys::create_file_at(AT_FDCWD, dir / "cove.db", text));
  EXPECT_THAT(Store::open(dir / "cove.db", at(0)), FailsSaying("not a database"));
  EXPECT_EQ(*sys::read_file(dir / "cove.db"), text);
}

TEST(Store, AnotherProgramsDatabaseIsRefused) {
  ASSERT_OK_AND_ASSIGN(const auto dir, sys::TempDir::make());
  {
    ASSERT_OK_AND_ASSIGN(const auto other, Database::open(dir / "cove.db", Database::Access::kWrite));
    ASSERT_OK(other->script("CREATE TABLE theirs (x)"));
  }
  EXPECT_THAT(Store::open(dir / "cove.db", at(0)), FailsSaying("another program's"));
}

TEST(Store, ANewerFormIsRefusedWithWhatToDo) {
  FreshStore store;
  store.close();
  {
    ASSERT_OK_AND_ASSIGN(const auto database, Database::open(store.path(), Database::Access::kWrite));
    ASSERT_OK(database->script("PRAGMA user_version=9999"));
  }
  EXPECT_THAT(Store::open(store.path(), at(0)), FailsSaying("Update Cove"));
}

TEST(Store, ManyMayMakeItAtOnce) {
  ASSERT_OK_AND_ASSIGN(const auto dir, sys::TempDir::make());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      const auto store = Store::open(dir / "cove.db", at(0));
      EXPECT_OK(store);
      if (store) EXPECT_OK((*store)->teams().create("team" + std::to_string(i), at(0)));
    });
  }
  threads.clear();
  ASSERT_OK_AND_ASSIGN(const auto store, Store::open(dir / "cove.db", at(0)));
  EXPECT_EQ(store->teams().list({})->items.size(), 9U);
}

TEST(Store, OneMayBeUsedByManyThreads) {
  FreshStore store;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 5; ++j) {
        EXPECT_OK(store->atomically([&]() -> Result<> {
          RETURN_IF_ERROR(store->teams().create(std::to_string(i) + "." + std::to_string(j), at(0)));
          RETURN_IF_ERROR(store->teams().list({}));
          return {};
        }));
      }
    });
  }
  threads.clear();
  EXPECT_EQ(store->teams().list({})->items.size(), 21U);
}

TEST(Store, AWorkThatFailsLeavesNothing) {
  FreshStore store;
  const auto failed = store->atomically([&]() -> Result<> {
    RETURN_IF_ERROR(store->teams().create("a", at(0)));
    return base::fail(Code::kTimeout, "no");
  });
  EXPECT_THAT(failed, FailsWith(Code::kTimeout));
  EXPECT_THAT(store->teams().find("a"), FailsWith(Code::kNotFound));
  EXPECT_OK(store->teams().create("a", at(0)));
}

TEST(Store, WhatFailsInsideAWorkUndoesOnlyItself) {
  FreshStore store;
  ASSERT_OK(store->atomically([&]() -> Result<> {
    RETURN_IF_ERROR(store->teams().create("a", at(0)));
    EXPECT_FALSE(store->atomically([&]() -> Result<> {
      RETURN_IF_ERROR(store->teams().create("b", at(0)));
      RETURN_IF_ERROR(store->teams().create("a", at(0)));
      return {};
    }));
    RETURN_IF_ERROR(store->teams().create("c", at(0)));
    return {};
  }));
  EXPECT_OK(store->teams().find("a"));
  EXPECT_THAT(store->teams().find("b"), FailsWith(Code::kNotFound));
  EXPECT_OK(store->teams().find("c"));
}

TEST(Store, AReaderCannotWrite) {
  FreshStore store;
  ASSERT_OK_AND_ASSIGN(const auto reader, Database::open(store.path(), Database::Access::kRead));
  EXPECT_FALSE(reader->run("DELETE FROM teams"));
  EXPECT_EQ(*reader->integer("SELECT count(*) FROM teams"), 1);
}

TEST(Store, SettingsAreInForce) {
  FreshStore store;
  ASSERT_OK_AND_ASSIGN(const auto database, Database::open(store.path(), Database::Access::kWrite));
  EXPECT_EQ(*database->integer("PRAGMA foreign_keys"), 1);
  EXPECT_EQ(*database->integer("PRAGMA synchronous"), 2);
  const auto mode =
      database->first("PRAGMA journal_mode", [](Row row) { return Result<std::string>(row.text(0)); });
  ASSERT_OK(mode);
  EXPECT_EQ(*mode, "wal");
  EXPECT_EQ(
      *database->integer("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
                         "AND NOT strict AND name NOT LIKE 'sqlite_%'"),
      0);
}

}  // namespace
}  // namespace store
