#include "template/build.h"

#include <gmock/gmock.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <thread>

#include "sys/socket.h"
#include "template/test_support.h"

namespace templates {
namespace {

using test::build_tiny;
using test::leftovers;
using test::open_store;
using test::tiny_request;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using What = BuildOutcome::What;

TEST(Build, MakesANamedTemplateThatVerifies) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  const auto outcome = build_tiny(store, tiny_request("tiny"));
  EXPECT_EQ(outcome.what, What::kBuilt);
  EXPECT_THAT(outcome.info.names, ElementsAre("tiny"));
  EXPECT_EQ(outcome.info.meta.suite, "trixie");
  EXPECT_EQ(outcome.info.problem, "");
  const auto verified = store.verify(outcome.info.digest);
  EXPECT_TRUE(verified) << verified.error().message;
  EXPECT_THAT(leftovers(store), IsEmpty());
}

TEST(Build, FurnishesTheRootForSandboxes) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  const auto root = build_tiny(store, tiny_request("tiny")).info.root;
  EXPECT_THAT(*sys::read_file(root + "/etc/passwd"), HasSubstr("\nuser:x:1000:1000::/home/user:/bin/bash\n"));
  EXPECT_THAT(*sys::read_file(root + "/etc/shadow"), HasSubstr("\nuser:!:"));
  const auto file = sys::fstatat(AT_FDCWD, root + "/home/user/.config/x");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->st_uid, 1000U);
  EXPECT_EQ(file->st_mode & 07777U, 0600U);
  EXPECT_EQ(sys::fstatat(AT_FDCWD, root + "/home/user/.config")->st_uid, 1000U);
  EXPECT_EQ(*sys::read_file(root + "/home/user/.bashrc"), "# hello\n");
  // The installer left a link there; it is a file now, and what it pointed to is untouched.
  EXPECT_TRUE(S_ISREG(sys::fstatat(AT_FDCWD, root + "/etc/resolv.conf")->st_mode));
  EXPECT_TRUE(S_ISDIR(sys::fstatat(AT_FDCWD, root + "/workspace")->st_mode));
  EXPECT_EQ(*sys::read_file(root + "/etc/machine-id"), "");
}

TEST(Build, KeepsEveryDirectoryOfTheStorePrivate) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  const auto info = build_tiny(store, tiny_request("tiny")).info;
  for (const auto& path : {scratch / "state", scratch / "state/templates", scratch / "state/templates/names",
                           scratch / "state/builds", store.directory_of(info.digest)}) {
    EXPECT_EQ(sys::fstatat(AT_FDCWD, path)->st_mode & 07777U, 0700U) << path;
  }
}

TEST(Build, TheSameRecipeIsUpToDateUntilForced) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  const auto first = build_tiny(store, tiny_request("tiny"));
  EXPECT_EQ(build_tiny(store, tiny_request("tiny")).what, What::kUpToDate);
  const auto other_name = build_tiny(store, tiny_request("second"));
  EXPECT_EQ(other_name.what, What::kUpToDate);
  EXPECT_THAT(other_name.info.names, ElementsAre("second", "tiny"));
  auto forced = tiny_request("tiny");
  forced.rebuild = Rebuild::kAlways;
  const auto again = build_tiny(store, forced);
  EXPECT_EQ(again.what, What::kBuilt);
  EXPECT_EQ(again.info.digest, first.info.digest);
  auto changed = test::tiny_recipe();
  changed.environment = {{"LANG", "C"}};
  EXPECT_NE(build_tiny(store, tiny_request("tiny", changed)).info.digest, first.info.digest);
  EXPECT_THAT(store.resolve(first.info.digest)->names, ElementsAre("second"));
}

TEST(Build, RunsStepsInOrderAndTellsStages) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  auto recipe = test::tiny_recipe();
  recipe.run = {"first", "second"};
  test::Recorder progress;
  test::RecordingRunner runner;
  ASSERT_TRUE(build(store, tiny_request("tiny", recipe), progress, runner));
  EXPECT_THAT(runner.commands, ElementsAre("first", "second"));
  EXPECT_THAT(runner.roots[0], testing::StartsWith(store.builds() + "/tiny."));
  EXPECT_THAT(progress.stages,
              ElementsAre(HasSubstr("1/6 install"), HasSubstr("2/6"), HasSubstr("3/6 run first"),
                          HasSubstr("4/6 run second"), HasSubstr("5/6"), HasSubstr("6/6")));
}

// A step that leaves traps where a sandbox will mount things, and attributes that would act there.
class HostileRunner : public test::RecordingRunner {
 public:
  Result<> run(const std::string& root, const std::string&, Progress&) override {
    EXPECT_EQ(::rmdir((root + "/proc").c_str()), 0);
    EXPECT_TRUE(sys::symlinkat("/etc", AT_FDCWD, root + "/proc"));
    EXPECT_EQ(::rmdir((root + "/dev").c_str()), 0);
    test::write_text(root + "/dev", "");
    test::make_dir(root + "/tmp/junk");
    EXPECT_EQ(::setxattr((root + "/usr/bin").c_str(), "trusted.overlay.opaque", "y", 1, 0), 0);
    EXPECT_EQ(::lsetxattr((root + "/bin").c_str(), "trusted.x", "y", 1, 0), 0);
    return {};
  }
};

TEST(Build, UndoesWhatStepsDoToMountPointsAndAttributes) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  auto recipe = test::tiny_recipe();
  recipe.run = {"evil"};
  test::Recorder progress;
  HostileRunner runner;
  const auto outcome = build(store, tiny_request("tiny", recipe), progress, runner);
  ASSERT_TRUE(outcome) << outcome.error().message;
  const auto& root = outcome->info.root;
  for (const auto* path : {"/proc", "/dev", "/tmp"}) {
    EXPECT_TRUE(S_ISDIR(sys::fstatat(AT_FDCWD, root + path)->st_mode)) << path;
    EXPECT_THAT(*sys::entries(root + path), IsEmpty()) << path;
  }
  EXPECT_EQ(::llistxattr((root + "/usr/bin").c_str(), nullptr, 0), 0);
  EXPECT_EQ(::llistxattr((root + "/bin").c_str(), nullptr, 0), 0);
}

class FailingRunner : public test::RecordingRunner {
 public:
  Result<> run(const std::string&, const std::string&, Progress&) override {
    return base::fail(base::Code::kInternal, "step failed");
  }
};

class UnableToPreload : public test::RecordingRunner {
 public:
  Result<> preload(const std::string&) override {
    return base::fail(base::Code::kUnavailable, "no_such_package cannot be imported");
  }
};

TEST(Build, ATemplateThatCannotImportWhatItListsGetsNoName) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  auto recipe = test::tiny_recipe();
  recipe.files.push_back({.path = "/usr/lib/cove/preload/python", .content = "no_such_package\n"});
  test::Recorder progress;
  UnableToPreload unable;
  const auto failed = build(store, tiny_request("tiny", recipe), progress, unable);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("no_such_package cannot be imported"));
  EXPECT_FALSE(store.resolve("tiny"));
}

TEST(Build, OnlyATemplateWithAListIsAskedToImportIt) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  test::Recorder progress;
  test::RecordingRunner runner;
  ASSERT_TRUE(build(store, tiny_request("plain", test::tiny_recipe()), progress, runner));
  EXPECT_THAT(runner.preloaded, IsEmpty());
  auto recipe = test::tiny_recipe();
  recipe.files.push_back({.path = "/usr/lib/cove/preload/python", .content = "json\n"});
  const auto built = build(store, tiny_request("listed", recipe), progress, runner);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_THAT(runner.preloaded, ElementsAre(built->info.digest));
}

TEST(Build, AFailureLeavesNothing) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  auto recipe = test::tiny_recipe();
  recipe.run = {"false"};
  test::Recorder progress;
  FailingRunner runner;
  const auto outcome = build(store, tiny_request("tiny", recipe), progress, runner);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("step failed"));
  EXPECT_THAT(leftovers(store), IsEmpty());
  EXPECT_THAT(*store.list(), IsEmpty());
}

TEST(Build, ACancelLeavesNothing) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  const sys::UniqueFd event(::eventfd(0, EFD_CLOEXEC));
  auto request = tiny_request("tiny");
  request.cancel = Cancel(event.get());
  request.install = [&](const Recipe& recipe, const Staging& staging, Progress& progress,
                        const Cancel& cancel) {
    EXPECT_EQ(::eventfd_write(event.get(), 1), 0);
    return test::install_tiny_system(recipe, staging, progress, cancel);
  };
  test::Recorder progress;
  test::RecordingRunner runner;
  const auto outcome = build(store, request, progress, runner);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "interrupted");
  EXPECT_THAT(leftovers(store), IsEmpty());
}

TEST(Build, WhatAKilledBuilderLeftIsSweptAndALiveOneIsNot) {
  const test::Scratch scratch;
  const auto state = scratch / "state";
  const auto store = open_store(state);
  auto ready = sys::make_pipe();
  ASSERT_TRUE(ready);
  const pid_t child = ::fork();
  if (child == 0) {
    auto request = tiny_request("tiny");
    request.install = [&](const Recipe& recipe, const Staging& staging, Progress& progress,
                          const Cancel& cancel) -> Result<> {
      RETURN_IF_ERROR(test::install_tiny_system(recipe, staging, progress, cancel));
      RETURN_IF_ERROR(sys::write_all(ready->write.get(), "x"));
      while (true) ::pause();
    };
    (void)build_tiny(store, request);
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready->read.get(), &byte, 1), 1);
  (void)open_store(state);
  EXPECT_EQ(leftovers(store).size(), 2U) << "its staging directory and its name lock";
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  (void)open_store(state);
  EXPECT_THAT(leftovers(store), IsEmpty());
  EXPECT_THAT(*store.list(), IsEmpty());
  EXPECT_EQ(build_tiny(store, tiny_request("tiny")).what, What::kBuilt);
  EXPECT_THAT(leftovers(store), IsEmpty());
}

TEST(Build, ASecondBuilderOfTheSameNameWaitsAndFindsItUpToDate) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  auto go = sys::make_pipe();
  ASSERT_TRUE(go);
  auto slow = tiny_request("tiny");
  slow.install = [&](const Recipe& recipe, const Staging& staging, Progress& progress, const Cancel& cancel) {
    char byte = 0;
    EXPECT_EQ(::read(go->read.get(), &byte, 1), 1);
    return test::install_tiny_system(recipe, staging, progress, cancel);
  };
  BuildOutcome first;
  std::thread builder([&] { first = build_tiny(store, slow); });
  while (leftovers(store).size() < 2) std::this_thread::yield();

  // Lets the first builder go on once the second has said that it waits.
  class Waiter : public test::Recorder {
   public:
    explicit Waiter(int fd) : fd_(fd) {}
    void detail(std::string_view line) override {
      Recorder::detail(line);
      EXPECT_TRUE(sys::write_all(fd_, "x"));
    }

   private:
    int fd_;
  };
  Waiter progress(go->write.get());
  test::RecordingRunner runner;
  const auto second = build(store, tiny_request("tiny"), progress, runner);
  builder.join();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(first.what, What::kBuilt);
  EXPECT_EQ(second->what, What::kUpToDate);
  EXPECT_THAT(progress.details, ElementsAre(HasSubstr("process " + std::to_string(::getpid()))));
  EXPECT_THAT(leftovers(store), IsEmpty());
}

}  // namespace
}  // namespace templates
