#include <gmock/gmock.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "template/archive_export.h"
#include "template/archive_import.h"
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

// A built template and the archive it was exported to.
class Archive : public testing::Test {
 protected:
  void SetUp() override {
    info_ = build_tiny(here_, tiny_request("tiny")).info;
    const timeval times[2] = {{1'000'000, 0}, {1'000'000, 0}};
    ASSERT_EQ(::utimes((info_.root + "/usr/bin/tool").c_str(), times), 0);
    const auto done = export_template(info_, file_, progress_, Cancel());
    ASSERT_TRUE(done) << done.error().message;
  }

  Result<TemplateInfo> import(ImportRequest request) { return import_template(there_, request, progress_); }

  const test::Scratch scratch_;
  const Store here_ = open_store(scratch_ / "here");
  const Store there_ = open_store(scratch_ / "there");
  const std::string file_ = scratch_ / "tiny.tar.zst";
  test::Recorder progress_;
  TemplateInfo info_;
};

TEST_F(Archive, BringsTheSameTemplateToAnotherStore) {
  const auto imported = import({.file = file_});
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->digest, info_.digest);
  EXPECT_THAT(imported->names, ElementsAre("tiny"));
  EXPECT_EQ(imported->meta.environment, info_.meta.environment);
  EXPECT_TRUE(there_.verify(imported->digest));
  const auto tool = sys::fstatat(AT_FDCWD, imported->root + "/usr/bin/tool");
  EXPECT_EQ(tool->st_mode & 07777U, 04755U);
  EXPECT_EQ(tool->st_nlink, 2U);
  EXPECT_EQ(tool->st_mtime, 1'000'000) << "interpreters compare a cached file with its source's time";
  EXPECT_THAT(leftovers(there_), IsEmpty());
}

TEST_F(Archive, AnImportNeverAnswersForARecipe) {
  const auto imported = import({.file = file_});
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->meta.recipe, "");
  EXPECT_EQ(build_tiny(there_, tiny_request("tiny")).what, BuildOutcome::What::kBuilt);
}

TEST_F(Archive, AnImportDoesNotTouchATemplateThatIsThere) {
  const auto meta = sys::read_file(here_.directory_of(info_.digest) + "/meta");
  const ImportRequest request{.file = file_, .name = "alias"};
  const auto imported = import_template(here_, request, progress_);
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_THAT(imported->names, ElementsAre("alias", "tiny"));
  EXPECT_EQ(*sys::read_file(here_.directory_of(info_.digest) + "/meta"), *meta);
}

TEST_F(Archive, ATakenNameIsRefusedBeforeAnythingIsUnpacked) {
  auto recipe = test::tiny_recipe();
  recipe.environment.clear();
  const auto mine = build_tiny(there_, tiny_request("tiny", recipe)).info.digest;
  EXPECT_EQ(import({.file = file_}).error().code, base::Code::kConflict);
  EXPECT_EQ(there_.list()->size(), 1U);
  EXPECT_TRUE(import({.file = file_, .if_taken = IfTaken::kReplace}));
  EXPECT_NE(there_.resolve("tiny")->digest, mine);
}

TEST_F(Archive, ExportNeverReplacesAFileAndLeavesNoneWhenStopped) {
  EXPECT_EQ(export_template(info_, file_, progress_, Cancel()).error().code, base::Code::kConflict);
  const sys::UniqueFd stop(::eventfd(1, EFD_CLOEXEC));
  EXPECT_FALSE(export_template(info_, scratch_ / "second", progress_, Cancel(stop.get())));
  EXPECT_FALSE(sys::fstatat(AT_FDCWD, scratch_ / "second"));
}

TEST_F(Archive, ATruncatedFileIsRefusedAtEveryLength) {
  const auto whole = *sys::read_file(file_);
  const auto cut = scratch_ / "cut";
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 40) {
    test::write_text(cut, whole.substr(0, size));
    const auto imported = import({.file = cut});
    EXPECT_FALSE(imported) << size;
    ASSERT_EQ(::unlink(cut.c_str()), 0);
  }
  EXPECT_THAT(leftovers(there_), IsEmpty());
  EXPECT_THAT(*there_.list(), IsEmpty());
}

TEST_F(Archive, AFlippedByteIsRefusedWhereverItIs) {
  const auto whole = *sys::read_file(file_);
  const auto edited = scratch_ / "edited";
  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 200) {
    auto bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x40);
    test::write_text(edited, bytes);
    const auto imported = import({.file = edited});
    // A byte that nothing depends on (padding, a date) may pass; another template never does.
    EXPECT_TRUE(!imported || imported->digest == info_.digest) << at;
    ASSERT_EQ(::unlink(edited.c_str()), 0);
  }
  EXPECT_THAT(leftovers(there_), IsEmpty());
}

TEST_F(Archive, OtherFilesAreRefusedWithAReason) {
  test::write_text(scratch_ / "text", "just some text, long enough to look at, and then some more of it\n");
  const auto text = import({.file = scratch_ / "text"});
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("archive"));
  EXPECT_EQ(import({.file = scratch_ / "absent"}).error().code, base::Code::kNotFound);
}

}  // namespace
}  // namespace templates
