#include "engine/file_changes.h"

#include "tests/support/engine_peers.h"

namespace engine {
namespace {

using test::InitEnd;
using test::ScriptedSandbox;
using testing::ElementsAre;
using testing::HasSubstr;
using wire::file::Done;
using wire::file::Entries;
using wire::file::Entry;
using wire::file::Kind;

Entry file(std::string path, std::int64_t modified = 1) {
  return {.path = std::move(path), .mode = 0644, .size = 10, .inode = 7, .modified_ns = modified};
}
Entry directory(std::string path) {
  return {.path = std::move(path), .kind = Kind::kDirectory, .mode = 0755};
}

FileChanges between(const Listing& before, const Listing& after) {
  FileChanges changes;
  add_changes("/home/user", before, after, changes);
  return changes;
}

Listing many(std::size_t count, const std::string& prefix = "f") {
  Listing listing;
  for (std::size_t i = 0; i < count; ++i) {
    listing.entries.push_back(file(prefix + std::to_string(1'000'000 + i)));
  }
  return listing;
}

TEST(FileChanges, AreNamedByKindInTheOrderOfTheirPaths) {
  const auto changes = between({.entries = {file("a"), file("b"), file("c")}},
                               {.entries = {file("0"), file("b", 2), file("c"), file("d")}});
  EXPECT_THAT(changes.created.paths, ElementsAre("/home/user/0", "/home/user/d"));
  EXPECT_THAT(changes.changed.paths, ElementsAre("/home/user/b"));
  EXPECT_THAT(changes.removed.paths, ElementsAre("/home/user/a"));
  EXPECT_EQ(changes.created.count, 2U);
  EXPECT_FALSE(changes.is_cut);
  EXPECT_FALSE(changes.unknown);
}

TEST(FileChanges, WhateverDiffersIsAChange) {
  const auto differs = [](auto change) {
    Entry other = file("a");
    change(other);
    return between({.entries = {file("a")}}, {.entries = {other}}).changed.count == 1;
  };
  EXPECT_FALSE(differs([](Entry&) {}));
  EXPECT_TRUE(differs([](Entry& entry) { entry.size = 11; }));
  EXPECT_TRUE(differs([](Entry& entry) { entry.modified_ns = 2; }));
  EXPECT_TRUE(differs([](Entry& entry) { entry.inode = 8; })) << "another file took its place";
  EXPECT_TRUE(differs([](Entry& entry) { entry.mode = 0755; }));
  EXPECT_TRUE(differs([](Entry& entry) { entry.kind = Kind::kFifo; }));
  EXPECT_TRUE(differs([](Entry& entry) { entry.target = "elsewhere"; }));
  EXPECT_FALSE(differs([](Entry& entry) { entry.links = 2; }));
}

TEST(FileChanges, ADirectoryDoesNotChangeWithWhatIsInIt) {
  Entry touched = directory("d");
  touched.modified_ns = 5;
  touched.inode = 5;
  touched.size = 5;
  const auto changes = between({.entries = {directory("d")}}, {.entries = {touched, file("d/new")}});
  EXPECT_THAT(changes.created.paths, ElementsAre("/home/user/d/new"));
  EXPECT_EQ(changes.changed.count, 0U);
}

TEST(FileChanges, WhatLiesInADirectoryIsComparedNextToIt) {
  // A space and a dash sort before the slash.
  const Listing before{.entries = {directory("a"), file("a/x"), file("a b"), file("a-b")}};
  EXPECT_EQ(between(before, before).changed.count, 0U);
  const auto changes = between(before, {.entries = {directory("a"), file("a b"), file("a-b"), file("b")}});
  EXPECT_THAT(changes.removed.paths, ElementsAre("/home/user/a/x"));
  EXPECT_THAT(changes.created.paths, ElementsAre("/home/user/b"));
}

TEST(FileChanges, BeyondTheBoundTheyAreCounted) {
  const auto changes = between({}, many(kMostNamed + 5));
  EXPECT_EQ(changes.created.paths.size(), kMostNamed);
  EXPECT_EQ(changes.created.count, kMostNamed + 5);
  EXPECT_TRUE(changes.is_cut);
  const auto long_names = between({}, many(200, std::string(4000, 'x')));
  EXPECT_LT(long_names.created.paths.size(), 66U);
  EXPECT_EQ(long_names.created.count, 200U);
  EXPECT_TRUE(long_names.is_cut);
}

TEST(FileChanges, WhatLiesBehindTheEndOfAListIsNotJudged) {
  const Listing whole{.entries = {file("a"), file("b"), file("c")}};
  const Listing cut{.entries = {file("a")}, .cut_after = "b"};
  const auto after_cut = between(whole, cut);
  EXPECT_THAT(after_cut.removed.paths, ElementsAre("/home/user/b")) << "c may well be there";
  EXPECT_TRUE(after_cut.is_cut);
  const auto before_cut = between(cut, whole);
  EXPECT_THAT(before_cut.created.paths, ElementsAre("/home/user/b"));
}

TEST(FileChanges, NoiseIsKnownByItsPlaceAndNothingElseIsNoise) {
  for (const auto* path :
       {"/home/user/.cache", "/home/user/.cache/pip/x", "/home/user/.npm/_logs/1.log",
        "/home/user/.ipython/x", "/home/user/.config", "/home/user/.config/matplotlib/x",
        "/home/user/.local/share", "/home/user/a/__pycache__/m.pyc", "/workspace/__pycache__",
        "/workspace/.ipynb_checkpoints/a", "/home/user/.bash_history"}) {
    EXPECT_TRUE(is_noise(path)) << path;
  }
  for (const auto* path :
       {"/home/user/cache", "/home/user/.cached", "/home/user/a/.cache", "/workspace/.cache/x",
        "/home/user/.config/my.ini", "/home/user/.local/bin/tool", "/home/user/.local/lib/python3.13/m.py",
        "/home/user/__pycache__.txt", "/home/user/my__pycache__", "/home/user/.bashrc", "/home/user/m.pyc",
        "/home/user/.bash_history.txt", "/home/user/.env", "/home/user2/.cache"}) {
    EXPECT_FALSE(is_noise(path)) << path;
  }
}

// One that answers each list with these, once.
class Answers {
 public:
  explicit Answers(std::vector<std::vector<Entry>> lists)
      : peer_([lists = std::move(lists), this](InitEnd& init) {
          for (const auto& list : lists) {
            const auto heard = init.hear_file();
            const auto* request = heard ? std::get_if<wire::file::List>(&*heard) : nullptr;
            ASSERT_NE(request, nullptr);
            asked_.push_back(request->path);
            for (std::size_t at = 0; at < list.size(); at += wire::file::kMaxEntries) {
              const auto end = std::min(list.size(), at + wire::file::kMaxEntries);
              init.say_bytes(
                  wire::file::encode(init.stream, Entries{.entries = {&list[at], &list[0] + end}}));
              const auto more = init.hear_file();
              if (!more || std::holds_alternative<wire::file::Cancel>(*more)) return;
            }
            init.say_bytes(wire::file::encode(init.stream, Done{}));
          }
        }) {}

  std::vector<std::string> asked_;
  ScriptedSandbox peer_;
};

TEST(WatchedTrees, LookAtHomeAndAWorkingDirectoryElsewhere) {
  Answers answers({{}, {}, {file("mine")}, {file("shared")}});
  WatchedTrees trees(answers.peer_.sandbox(), "/workspace");
  trees.begin();
  const auto changes = trees.changes();
  EXPECT_THAT(changes.created.paths, ElementsAre("/home/user/mine", "/workspace/shared"));
  EXPECT_THAT(answers.asked_, ElementsAre("/home/user", "/workspace", "/home/user", "/workspace"));
}

TEST(WatchedTrees, LookOnceWhereOneHoldsTheOther) {
  for (const auto* cwd : {"/home/user", "/home/user/project", "/home", "/"}) {
    Answers answers({{}, {file("a")}});
    WatchedTrees trees(answers.peer_.sandbox(), cwd);
    trees.begin();
    EXPECT_THAT(trees.changes().created.paths, ElementsAre("/home/user/a")) << cwd;
  }
}

TEST(WatchedTrees, HaveABoundWhateverIsAnswered) {
  Answers answers({{}, many(kMostRemembered + 2000).entries});
  WatchedTrees trees(answers.peer_.sandbox(), "/home/user");
  trees.begin();
  const auto changes = trees.changes();
  EXPECT_EQ(changes.created.count, kMostRemembered);
  EXPECT_TRUE(changes.is_cut);
}

TEST(WatchedTrees, AListInNoOrderIsPutInOrder) {
  Answers answers({{file("a"), file("b")}, {file("b"), file("a")}});
  WatchedTrees trees(answers.peer_.sandbox(), "/home/user");
  trees.begin();
  const auto changes = trees.changes();
  EXPECT_EQ(changes.created.count + changes.removed.count + changes.changed.count, 0U);
}

TEST(WatchedTrees, OfASandboxThatHasEndedNothingIsKnown) {
  Answers answers({{file("a")}});
  WatchedTrees trees(answers.peer_.sandbox(), "/home/user");
  trees.begin();
  const auto changes = trees.changes();
  ASSERT_TRUE(changes.unknown);
  EXPECT_THAT(*changes.unknown, HasSubstr("sandbox abcdefghijkmnpqr"));
  EXPECT_EQ(changes.removed.count, 0U);
}

}  // namespace
}  // namespace engine
