#include "files/read.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/file_worker_peer.h"

namespace files {
namespace {

using base::Code;
using testing::HasSubstr;
using testing::StartsWith;
using wire::file::Read;
using ReadTest = support::FilesTest;

TEST_F(ReadTest, AFileArrivesWholeOrInRanges) {
  std::string text;
  while (text.size() < 1'000'000) text += std::to_string(text.size()) + ",";
  const auto path = make("file", text);
  const auto whole = worker_.ask(Read{.path = path});
  EXPECT_EQ(whole.bytes, text);
  EXPECT_EQ(whole.done.bytes, text.size());
  EXPECT_EQ(whole.entries.at(0).size, text.size());
  EXPECT_EQ(worker_.ask(Read{.path = path, .offset = 5, .length = 7}).bytes, text.substr(5, 7));
  EXPECT_EQ(worker_.ask(Read{.path = path, .offset = text.size() - 3}).bytes, text.substr(text.size() - 3));
  EXPECT_EQ(worker_.ask(Read{.path = path, .offset = text.size() + 9}).bytes, "");
  EXPECT_EQ(worker_.ask(Read{.path = make("empty")}).bytes, "");
}

TEST_F(ReadTest, FilesOfProcAreReadableThoughTheyHaveNoSize) {
  EXPECT_THAT(worker_.ask(Read{.path = "/proc/self/status"}).bytes, StartsWith("Name:"));
  EXPECT_EQ(worker_.ask(Read{.path = "/proc/self/status", .length = 5}).bytes, "Name:");
}

TEST_F(ReadTest, AFileOfProcHasACap) {
  // One mapping of this process is that many lines: more than the cap.
  constexpr std::size_t kPages = 40'000;
  const auto page = static_cast<std::size_t>(::getpagesize());
  auto* const area =
      static_cast<char*>(::mmap(nullptr, kPages * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(area, MAP_FAILED);
  for (std::size_t i = 0; i < kPages; i += 2) ASSERT_EQ(::mprotect(area + i * page, page, PROT_READ), 0);
  const auto answer = worker_.ask(Read{.path = "/proc/self/smaps"});
  ::munmap(area, kPages * page);
  EXPECT_EQ(answer.code(), Code::kExhausted);
  EXPECT_LE(answer.bytes.size(), kMostMadeUp);
}

TEST_F(ReadTest, AFileThatGrowsIsReadAsItWas) {
  const auto path = make("file", std::string(600'000, 'a'));
  worker_.credits = false;
  worker_.begin(Read{.path = path});
  support::FileAnswer answer;
  (void)worker_.next(answer);  // opened
  ASSERT_OK_AND_ASSIGN(const auto file, sys::open(path, O_WRONLY | O_APPEND));
  ASSERT_OK(sys::write_all(file.get(), std::string(600'000, 'b')));
  worker_.send(wire::file::Credit{.bytes = 1000});
  worker_.credits = true;
  // What was said before is credited now.
  const auto rest = worker_.finish();
  EXPECT_FALSE(rest.failed);
  EXPECT_EQ(rest.bytes, std::string(600'000, 'a'));
}

TEST_F(ReadTest, AFileThatShrinksIsAnErrorThatSaysSo) {
  const auto path = make("file", std::string(2'000'000, 'a'));
  worker_.credits = false;
  worker_.begin(Read{.path = path});
  support::FileAnswer answer;
  (void)worker_.next(answer);
  ASSERT_EQ(::truncate(path.c_str(), 10), 0);
  worker_.credits = true;
  const auto rest = worker_.finish();
  EXPECT_EQ(rest.code(), Code::kConflict);
  EXPECT_THAT(rest.failed->message, HasSubstr("became shorter"));
}

TEST_F(ReadTest, ASparseGiantEndsWhenNobodyWantsMore) {
  const auto path = make("giant");
  ASSERT_EQ(::truncate(path.c_str(), off_t{1} << 40), 0);
  worker_.begin(Read{.path = path});
  support::FileAnswer answer;
  EXPECT_EQ(std::get<wire::file::Opened>(worker_.next(answer)).entry.size, std::uint64_t{1} << 40);
  worker_.send(wire::file::Cancel{});
  EXPECT_EQ(worker_.finish().code(), Code::kConflict);
  EXPECT_EQ(worker_.ask(Read{.path = path, .offset = (std::uint64_t{1} << 40) - 2}).bytes,
            std::string(2, '\0'));
}

TEST_F(ReadTest, AFifoNeverMakesItWait) {
  ASSERT_EQ(::mkfifo((dir_ / "fifo").c_str(), 0600), 0);
  ASSERT_OK(sys::symlinkat("/dev/zero", AT_FDCWD, dir_ / "zero"));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(worker_.ask(Read{.path = dir_ / "fifo"}).code(), Code::kConflict);
  EXPECT_EQ(worker_.ask(Read{.path = dir_ / "zero"}).code(), Code::kConflict);
  EXPECT_EQ(worker_.ask(Read{.path = dir_.path()}).code(), Code::kConflict);
}

}  // namespace
}  // namespace files
