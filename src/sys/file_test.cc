#include "sys/file.h"

#include <linux/openat2.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "sys/directory.h"
#include "sys/socket.h"
#include "sys/temp_dir.h"
#include "tests/support/result.h"

namespace sys {
namespace {

using base::Code;
using support::FailsSaying;
using support::FailsWith;
using support::FailsWithErrno;
using testing::UnorderedElementsAre;

TempDir temp_dir() { return TempDir::make().value(); }

TEST(File, EveryDescriptorIsCloseOnExecFromBirth) {
  const TempDir dir = temp_dir();
  const auto plain = open("/dev/null", O_RDONLY).value();
  const auto two = openat2(AT_FDCWD, "/dev/null", O_RDONLY, 0).value();
  const auto memory = sealed_memfd("x", "bytes", 0444).value();
  const auto lock = flock_exclusive(dir / "lock").value();
  const auto pipe = make_pipe().value();
  for (const int fd : {plain.get(), two.get(), memory.get(), lock.get(), pipe.read.get(), pipe.write.get()}) {
    EXPECT_EQ(::fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  }
}

TEST(File, AnErrorNamesThePath) {
  EXPECT_THAT(open("/no/such/file", O_RDONLY), FailsSaying("open(/no/such/file): No such file or directory"));
  EXPECT_THAT(read_file("/no/such/file"), FailsWith(Code::kNotFound));
}

TEST(File, ANewFileHasItsBytesAndMode) {
  const TempDir dir = temp_dir();
  const auto handle = open(dir.path(), O_PATH | O_DIRECTORY).value();
  ASSERT_OK(create_file_at(handle.get(), "f", "text", 0600));
  EXPECT_EQ(read_file(dir / "f").value(), "text");
  EXPECT_EQ(fstatat(handle.get(), "f").value().st_mode & 07777, 0600U);
  EXPECT_THAT(create_file_at(handle.get(), "f", "other"), FailsWith(Code::kConflict));
  EXPECT_EQ(read_file(dir / "f").value(), "text");
}

TEST(File, ReadingStopsAtItsLimit) {
  const TempDir dir = temp_dir();
  ASSERT_OK(create_file_at(AT_FDCWD, dir / "f", std::string(100'000, 'x')));
  EXPECT_EQ(read_file(dir / "f", 100'000).value().size(), 100'000U);
  EXPECT_THAT(read_file(dir / "f", 99'999), FailsSaying("larger than 99999 bytes"));
}

TEST(File, WritingToAnExistingFileMakesNoneAndFollowsNoLink) {
  const TempDir dir = temp_dir();
  EXPECT_THAT(write_existing(dir / "f", "x"), FailsWith(Code::kNotFound));
  ASSERT_OK(create_file_at(AT_FDCWD, dir / "f", "long text"));
  ASSERT_OK(write_existing(dir / "f", "LONG"));
  EXPECT_EQ(read_file(dir / "f").value(), "LONG text");
  ASSERT_OK(symlinkat("f", AT_FDCWD, dir / "link"));
  EXPECT_THAT(write_existing(dir / "link", "x"), FailsWithErrno(ELOOP));
}

TEST(File, PreadTakesFromTheStartWhateverThePosition) {
  const TempDir dir = temp_dir();
  ASSERT_OK(create_file_at(AT_FDCWD, dir / "f", "counter 1\n"));
  const auto fd = open(dir / "f", O_RDONLY).value();
  EXPECT_EQ(pread_text(fd.get()).value(), "counter 1\n");
  EXPECT_EQ(pread_text(fd.get()).value(), "counter 1\n");
  EXPECT_EQ(pread_text(fd.get(), 3).value(), "cou");
}

TEST(File, WriteAllGoesThroughAFullPipe) {
  auto pipe = make_pipe().value();
  ASSERT_GT(::fcntl(pipe.write.get(), F_SETPIPE_SZ, 1 << 20), 0);
  ASSERT_OK(write_all(pipe.write.get(), std::string(1 << 20, 'x')));
  pipe.write.reset();
  EXPECT_EQ(read_all(pipe.read.get(), 1 << 20).value().size(), std::size_t{1} << 20);
}

TEST(File, ASealedMemfdNeverChanges) {
  const auto fd = sealed_memfd("program", "bytes", 0555).value();
  EXPECT_EQ(pread_text(fd.get()).value(), "bytes");
  EXPECT_LT(::pwrite(fd.get(), "X", 1, 0), 0);
  EXPECT_NE(::ftruncate(fd.get(), 0), 0);
  EXPECT_NE(::ftruncate(fd.get(), 100), 0);
  EXPECT_NE(::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
  EXPECT_EQ(::mmap(nullptr, 5, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0), MAP_FAILED);
  EXPECT_EQ(fstat(fd.get()).value().st_mode & 0777, 0555U);
}

TEST(File, ALockHasOneHolder) {
  const TempDir dir = temp_dir();
  {
    const auto lock = flock_exclusive(dir / "lock");
    ASSERT_OK(lock);
    EXPECT_THAT(flock_exclusive(dir / "lock"), FailsWith(Code::kConflict));
  }
  EXPECT_OK(flock_exclusive(dir / "lock"));
}

TEST(File, OpenBeneathNeitherClimbsNorFollows) {
  const TempDir dir = temp_dir();
  ASSERT_OK(mkdirat(AT_FDCWD, dir / "in", 0755));
  ASSERT_OK(create_file_at(AT_FDCWD, dir / "secret", "x"));
  ASSERT_OK(symlinkat("../secret", AT_FDCWD, dir / "in/link"));
  const auto in = open(dir / "in", O_PATH | O_DIRECTORY).value();
  constexpr auto kStrict = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  EXPECT_THAT(openat2(in.get(), "../secret", O_RDONLY, kStrict), FailsWithErrno(EXDEV));
  EXPECT_THAT(openat2(in.get(), "link", O_RDONLY, kStrict), FailsWithErrno(ELOOP));
  EXPECT_OK(openat2(in.get(), ".", O_PATH, kStrict));
}

TEST(File, MakingADirectoryTwiceIsFineWhenAsked) {
  const TempDir dir = temp_dir();
  ASSERT_OK(mkdir_if_missing(dir / "d", 0755));
  EXPECT_OK(mkdir_if_missing(dir / "d", 0755));
  EXPECT_THAT(mkdirat(AT_FDCWD, dir / "d", 0755), FailsWith(Code::kConflict));
}

TEST(File, LinksAreReadAndOwnersChangedWithoutFollowing) {
  const TempDir dir = temp_dir();
  ASSERT_OK(symlinkat("/etc/passwd", AT_FDCWD, dir / "link"));
  EXPECT_EQ(readlinkat(AT_FDCWD, dir / "link").value(), "/etc/passwd");
  ASSERT_OK(fchownat(AT_FDCWD, dir / "link", 1234, 1234));
  EXPECT_EQ(fstatat(AT_FDCWD, dir / "link").value().st_uid, 1234U);
  EXPECT_EQ(fstatat(AT_FDCWD, "/etc/passwd").value().st_uid, 0U);
}

TEST(File, FreeSpaceIsTold) {
  const auto space = free_space("/dev/shm");
  ASSERT_OK(space);
  EXPECT_GT(space->bytes, 0U);
}

TEST(Directory, ListsWhatIsThere) {
  const TempDir dir = temp_dir();
  ASSERT_OK(mkdirat(AT_FDCWD, dir / "d", 0755));
  ASSERT_OK(create_file_at(AT_FDCWD, dir / ".f", ""));
  ASSERT_OK(symlinkat("d", AT_FDCWD, dir / "l"));
  EXPECT_THAT(entries(dir.path()).value(), UnorderedElementsAre("d", ".f", "l"));
  EXPECT_THAT(subdirectories(dir.path()).value(), UnorderedElementsAre("d"));
  const auto handle = open(dir.path(), O_RDONLY | O_DIRECTORY).value();
  EXPECT_THAT(subdirectories_at(handle.get()).value(), UnorderedElementsAre("d"));
  EXPECT_THAT(subdirectories_at(handle.get()).value(), UnorderedElementsAre("d")) << "its position is kept";
  EXPECT_THAT(entries(dir / "none"), FailsWith(Code::kNotFound));
}

TEST(TempDir, GoesWithItsOwnerWhateverIsInIt) {
  std::string path;
  {
    TempDir dir = temp_dir();
    path = dir.path();
    ASSERT_OK(mkdirat(AT_FDCWD, dir / "d", 0700));
    ASSERT_OK(create_file_at(AT_FDCWD, dir / "d/f", "x"));
    ASSERT_OK(symlinkat("/etc", AT_FDCWD, dir / "l"));
    const TempDir moved = std::move(dir);
    EXPECT_EQ(moved.path(), path);
  }
  EXPECT_THAT(fstatat(AT_FDCWD, path), FailsWith(Code::kNotFound));
  EXPECT_OK(fstatat(AT_FDCWD, "/etc/passwd"));
}

}  // namespace
}  // namespace sys
