#include "template/parent.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "template/test_support.h"

namespace templates {
namespace {

using test::build_tiny;
using test::leftovers;
using test::open_store;
using test::tiny_request;
using testing::HasSubstr;
using testing::IsEmpty;
using What = BuildOutcome::What;

// What is put on top of the template `tiny`.
BuildRequest child_request(const std::string& name) {
  Recipe recipe;
  recipe.from = "tiny";
  recipe.environment = {{"LANG", "C"}, {"MORE", "1"}};
  recipe.files = {{.path = "/home/user/added", .mode = 0644, .content = "new\n"}};
  BuildRequest request{.name = name, .recipe = std::move(recipe)};
  request.install = [](const Recipe&, const Staging&, Progress&, const Cancel&) -> Result<> {
    return base::fail(base::Code::kInternal, "nothing is to be installed");
  };
  return request;
}

std::string failure(const Store& store, const BuildRequest& request) {
  test::Recorder progress;
  test::RecordingRunner runner;
  const auto outcome = build(store, request, progress, runner);
  return outcome ? "(built)" : outcome.error().message;
}

TEST(Parent, ATemplateIsBuiltOnTopOfAnother) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  const auto parent = build_tiny(store, tiny_request("tiny")).info;
  const auto child = build_tiny(store, child_request("child")).info;
  EXPECT_EQ(*sys::read_file(child.root + "/home/user/added"), "new\n");
  EXPECT_EQ(sys::fstatat(AT_FDCWD, child.root + "/home/user/added")->st_uid, 1000U);
  EXPECT_EQ(*sys::read_file(child.root + "/home/user/.config/x"), "mine\n");
  EXPECT_EQ(*sys::read_file(child.root + "/etc/passwd"), *sys::read_file(parent.root + "/etc/passwd"));
  const auto tool = sys::fstatat(AT_FDCWD, child.root + "/usr/bin/tool");
  EXPECT_EQ(tool->st_ino, sys::fstatat(AT_FDCWD, child.root + "/usr/bin/twin")->st_ino) << "hard links stay";
  EXPECT_EQ(tool->st_mtim.tv_nsec, sys::fstatat(AT_FDCWD, parent.root + "/usr/bin/tool")->st_mtim.tv_nsec);
  EXPECT_EQ(child.meta.suite, "trixie");
  EXPECT_EQ(child.meta.environment, (Environment{{"LANG", "C"}, {"MORE", "1"}}));
  EXPECT_TRUE(store.verify(child.digest));
  EXPECT_TRUE(store.verify(parent.digest)) << "the parent is untouched";
  EXPECT_THAT(leftovers(store), IsEmpty());
}

ino_t inode(const std::string& path) {
  const auto status = sys::fstatat(AT_FDCWD, path);
  return status ? status->st_ino : 0;
}

TEST(Parent, ARecipeThatRunsNothingSharesFilesWithItsParentAndChangesNoneOfThem) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  const auto parent = build_tiny(store, tiny_request("tiny")).info;
  auto request = child_request("thin");
  request.recipe.files.push_back({.path = "/home/user/.config/x", .mode = 0644, .content = "replaced\n"});
  const auto child = build_tiny(store, request).info;
  EXPECT_EQ(inode(child.root + "/usr/bin/tool"), inode(parent.root + "/usr/bin/tool"));
  EXPECT_EQ(*sys::read_file(child.root + "/home/user/.config/x"), "replaced\n");
  EXPECT_EQ(*sys::read_file(parent.root + "/home/user/.config/x"), "mine\n");
  EXPECT_TRUE(store.verify(parent.digest));
  EXPECT_TRUE(delete_tree(store.directory_of(parent.digest)));
  EXPECT_TRUE(store.verify(child.digest)) << "it needs no parent once it is built";
}

TEST(Parent, ARecipeThatRunsSomethingHasFilesOfItsOwn) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  const auto parent = build_tiny(store, tiny_request("tiny")).info;
  auto request = child_request("thick");
  request.recipe.run = {"true"};
  const auto child = build_tiny(store, request).info;
  EXPECT_NE(inode(child.root + "/usr/bin/tool"), inode(parent.root + "/usr/bin/tool"));
  EXPECT_EQ(copy_by({.pip = {.file = "a"}}), CopyBy::kBytes);
  EXPECT_EQ(copy_by({.npm = {.file = "a"}}), CopyBy::kBytes);
}

TEST(Parent, AnotherParentMakesAnotherTemplate) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  (void)build_tiny(store, tiny_request("tiny"));
  const auto first = build_tiny(store, child_request("child"));
  EXPECT_EQ(build_tiny(store, child_request("child")).what, What::kUpToDate);
  auto changed = test::tiny_recipe();
  changed.files.push_back({.path = "/etc/changed", .mode = 0644, .content = ""});
  (void)build_tiny(store, tiny_request("tiny", changed));
  const auto second = build_tiny(store, child_request("child"));
  EXPECT_EQ(second.what, What::kBuilt);
  EXPECT_NE(second.info.digest, first.info.digest);
  EXPECT_EQ(*sys::read_file(second.info.root + "/etc/changed"), "");
}

TEST(Parent, AMissingOneIsNamedWithTheNextAction) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  EXPECT_THAT(failure(store, child_request("child")), HasSubstr("cove template build tiny"));
  EXPECT_THAT(leftovers(store), IsEmpty());
}

TEST(Parent, OneThatWasChangedOnDiskIsRefused) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  const auto parent = build_tiny(store, tiny_request("tiny")).info;
  test::write_text(parent.root + "/etc/intruder", "x");
  EXPECT_THAT(failure(store, child_request("child")), HasSubstr(parent.digest.substr(0, 12)));
  EXPECT_THAT(leftovers(store), IsEmpty());
  EXPECT_EQ(store.list()->size(), 1U);
}

}  // namespace
}  // namespace templates
