// Archives in and out, also those that an enemy writes: each breaks one rule and is otherwise right.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "files/unpack.h"
#include "sys/directory.h"
#include "tests/support/archives.h"

namespace files {
namespace {

using base::Code;
using testing::ElementsAre;
using testing::HasSubstr;
using wire::file::Existing;
using wire::file::Format;
using wire::file::Pack;
using wire::file::Unpack;

using support::archive_of;
using support::Made;
using ArchiveTest = support::ArchiveTest;

TEST_F(ArchiveTest, WhatIsPackedUnpacksTheSame) {
  make_dir("from");
  make_dir("from/d");
  make("from/d/file", std::string(300'000, 'x'));
  ASSERT_EQ(::chmod((dir_ / "from/d/file").c_str(), 0751), 0);
  make("from/\xc3\xbc\n", "odd");
  make("from/empty");
  ASSERT_OK(sys::symlinkat("d/file", AT_FDCWD, dir_ / "from/link"));
  ASSERT_EQ(::mkfifo((dir_ / "from/fifo").c_str(), 0600), 0);
  for (const auto format : {Format::kTar, Format::kTarGzip, Format::kZip}) {
    const auto packed = worker_.ask(Pack{.path = dir_ / "from", .format = format});
    ASSERT_FALSE(packed.failed) << packed.failed->message;
    EXPECT_EQ(packed.done.entries, 5U);
    EXPECT_EQ(packed.done.skipped, 1U) << "a FIFO has no place in an archive";
    const auto unpacked = unpack(packed.bytes, {.format = format});
    ASSERT_FALSE(unpacked.failed) << static_cast<int>(format) << unpacked.failed->message;
    EXPECT_EQ(unpacked.done.bytes, 300'003U);
    EXPECT_EQ(text_of("to/d/file"), std::string(300'000, 'x'));
    EXPECT_EQ(text_of("to/\xc3\xbc\n"), "odd");
    EXPECT_EQ(sys::readlinkat(AT_FDCWD, dir_ / "to/link").value(), "d/file");
    EXPECT_EQ(sys::fstatat(AT_FDCWD, dir_ / "to/d/file")->st_mode & 07777, 0751U);
    EXPECT_EQ(sys::fstatat(AT_FDCWD, dir_ / "to/d/file")->st_mtim.tv_sec,
              sys::fstatat(AT_FDCWD, dir_ / "from/d/file")->st_mtim.tv_sec);
    EXPECT_EQ(sys::entries(dir_ / "to")->size(), 4U) << "and nothing else";
    ASSERT_FALSE(worker_.ask(wire::file::Remove{.path = dir_ / "to", .tree = 1}).failed);
  }
}

TEST_F(ArchiveTest, DirectoriesJoinAndFilesAreReplacedUnlessToldNotTo) {
  make_dir("to");
  make_dir("to/d");
  make("to/d/old", "old");
  make("to/d/both", "old");
  const auto bytes = archive_of({{.path = "d/both", .content = "new"}, {.path = "d/new/x", .content = "x"}});
  const auto refused = unpack(bytes, {.existing = Existing::kRefuse});
  EXPECT_EQ(refused.code(), Code::kConflict);
  EXPECT_FALSE(sys::fstatat(AT_FDCWD, dir_ / "to/d/new")) << "nothing has moved";
  EXPECT_EQ(sys::entries(dir_ / "to")->size(), 1U);
  EXPECT_FALSE(unpack(bytes).failed);
  EXPECT_EQ(text_of("to/d/old"), "old");
  EXPECT_EQ(text_of("to/d/both"), "new");
  EXPECT_EQ(text_of("to/d/new/x"), "x");
}

TEST_F(ArchiveTest, AFileInTheWayOfADirectoryStopsEverything) {
  make_dir("to");
  make("to/z", "file");
  ASSERT_OK(sys::symlinkat("/etc", AT_FDCWD, dir_ / "to/etc"));
  for (const auto* path : {"z/x", "etc/passwd"}) {
    const auto answer = unpack(archive_of({{.path = "a", .content = "a"}, {.path = path, .content = "x"}}));
    EXPECT_EQ(answer.code(), Code::kConflict) << path;
    EXPECT_EQ(sys::entries(dir_ / "to")->size(), 2U) << "not even what was free to move";
  }
}

TEST_F(ArchiveTest, NamesThatLeadOutAreRefused) {
  EXPECT_THAT(refusal({{.path = "../victim", .content = "x"}}), HasSubstr("goes up"));
  EXPECT_THAT(refusal({{.path = "a/../../victim", .content = "x"}}), HasSubstr("goes up"));
  EXPECT_THAT(refusal({{.path = victim_, .content = "x"}}), HasSubstr("absolute"));
  EXPECT_THAT(refusal({{.path = "a", .hardlink = "../victim"}}), HasSubstr("goes up"));
  EXPECT_THAT(refusal({{.path = "a", .hardlink = victim_}}), HasSubstr("absolute"));
  EXPECT_THAT(refusal({{.path = std::string(5000, 'a') + "/b", .content = "x"}}), HasSubstr("4096"));
  EXPECT_THAT(refusal({{.path = std::string(256, 'a'), .content = "x"}}), HasSubstr("too long"));
}

TEST_F(ArchiveTest, ALinkIsNeverGoneThrough) {
  EXPECT_THAT(
      refusal({{.path = "a", .type = AE_IFLNK, .link = dir_.path()}, {.path = "a/victim", .content = "x"}}),
      HasSubstr("no directory"));
  EXPECT_THAT(refusal({{.path = "a", .type = AE_IFLNK, .link = ".."}, {.path = "a/x/y", .content = "x"}}),
              HasSubstr("no directory"));
  EXPECT_THAT(refusal({{.path = "a", .type = AE_IFLNK, .link = victim_}, {.path = "a", .content = "x"}}),
              HasSubstr("twice"));
  EXPECT_THAT(refusal({{.path = "a", .type = AE_IFLNK, .link = victim_}, {.path = "b", .hardlink = "a"}}),
              HasSubstr("hard link"));
  EXPECT_THAT(
      refusal({{.path = "a", .type = AE_IFLNK, .link = dir_.path()}, {.path = "b", .hardlink = "a/victim"}}),
      HasSubstr("no directory"));
  EXPECT_THAT(refusal({{.path = "a", .type = AE_IFLNK, .link = dir_.path()},
                       {.path = "a", .type = AE_IFDIR, .mode = 0777}}),
              HasSubstr("twice"));
}

TEST_F(ArchiveTest, DevicesFifosDuplicatesAndSetIdBits) {
  EXPECT_THAT(refusal({{.path = "null", .type = AE_IFCHR}}), HasSubstr("only files"));
  EXPECT_THAT(refusal({{.path = "disk", .type = AE_IFBLK}}), HasSubstr("only files"));
  EXPECT_THAT(refusal({{.path = "fifo", .type = AE_IFIFO}}), HasSubstr("only files"));
  EXPECT_THAT(refusal({{.path = "a", .content = "1"}, {.path = "./a", .content = "2"}}), HasSubstr("twice"));
  EXPECT_THAT(refusal({{.path = "a", .hardlink = "b"}}), HasSubstr("hard link"));
  EXPECT_FALSE(
      unpack(archive_of({{.path = "su", .mode = 06755}, {.path = "d", .type = AE_IFDIR, .mode = 02000}}))
          .failed);
  EXPECT_EQ(sys::fstatat(AT_FDCWD, dir_ / "to/su")->st_mode & 07777, 0755U);
  EXPECT_EQ(sys::fstatat(AT_FDCWD, dir_ / "to/d")->st_mode & 07777, 0700U) << "the owner can always get in";
}

TEST_F(ArchiveTest, ABrokenArchiveLeavesNothing) {
  const auto good =
      archive_of({{.path = "a", .content = std::string(5000, 'a')}, {.path = "b", .content = "b"}});
  for (const std::size_t cut : {std::size_t{100}, std::size_t{700}, std::size_t{3000}}) {
    EXPECT_NE(refusal(good.substr(0, cut)), "(unpacked)") << cut;
  }
  EXPECT_NE(refusal(std::string(2000, 'x')), "(unpacked)");
  const auto zipped = archive_of({{.path = "a", .content = "aaaaaaaaaa"}}, Format::kTarGzip);
  EXPECT_NE(refusal(zipped.substr(0, zipped.size() / 2), {.format = Format::kTarGzip}), "(unpacked)");
  EXPECT_NE(refusal("PK\x03\x04 and no more", {.format = Format::kZip}), "(unpacked)");
}

TEST_F(ArchiveTest, ACallerWhoCancelsLeavesNothing) {
  worker_.begin(Unpack{.path = dir_ / "to"});
  worker_.send(wire::file::Data{
      .bytes = archive_of({{.path = "a", .content = std::string(5000, 'a')}}).substr(0, 3000)});
  worker_.send(wire::file::Cancel{});
  EXPECT_EQ(worker_.finish().code(), Code::kConflict);
  EXPECT_THAT(sys::entries(dir_.path()).value(), ElementsAre("victim"));
}

TEST_F(ArchiveTest, EntriesBytesAndExpansionHaveCaps) {
  std::vector<Made> many;
  for (int i = 0; i < 50; ++i) many.push_back({.path = "d" + std::to_string(i) + "/f"});
  EXPECT_THAT(refusal(archive_of(many), {.most_entries = 99}), HasSubstr("entries"))
      << "the directories count";
  EXPECT_THAT(refusal(archive_of({{.path = "a", .content = std::string(2000, 'a')}}), {.most_bytes = 1999}),
              HasSubstr("1999 bytes"));
  // A hundred megabytes of zeros in a hundred kilobytes.
  const auto bomb = archive_of({{.path = "a", .content = std::string(100 << 20, '\0')}}, Format::kTarGzip);
  ASSERT_LT(bomb.size() * kMostExpansion, 100U << 20);
  EXPECT_THAT(refusal(bomb, {.format = Format::kTarGzip}), HasSubstr("200 times"));
  const auto zip = archive_of({{.path = "a", .content = std::string(100 << 20, '\0')}}, Format::kZip);
  EXPECT_THAT(refusal(zip, {.format = Format::kZip}), HasSubstr("200 times"));
}

TEST_F(ArchiveTest, PackingHasCapsToo) {
  make("one", std::string(1000, 'x'));
  EXPECT_EQ(worker_.ask(Pack{.path = dir_.path(), .most_entries = 1}).code(), Code::kExhausted);
  EXPECT_EQ(worker_.ask(Pack{.path = dir_.path(), .most_bytes = 999}).code(), Code::kExhausted);
  EXPECT_EQ(worker_.ask(Pack{.path = dir_ / "one"}).code(), Code::kConflict);
}

TEST_F(ArchiveTest, ZipsThatLeadOutAreRefused) {
  for (const auto* path : {"../victim", "/victim", "a/../../victim"}) {
    EXPECT_NE(refusal(archive_of({{.path = path, .content = "x"}}, Format::kZip), {.format = Format::kZip}),
              "(unpacked)")
        << path;
  }
  EXPECT_THAT(refusal(archive_of({{.path = "a", .type = AE_IFLNK, .mode = 0777, .link = dir_.path()},
                                  {.path = "a/victim", .content = "x"}},
                                 Format::kZip),
                      {.format = Format::kZip}),
              HasSubstr("no directory"));
}

}  // namespace
}  // namespace files
