#include "template/delete_tree.h"

#include <unistd.h>

#include "template/test_support.h"

namespace templates {
namespace {

TEST(DeleteTree, LeavesWhatLinksPointTo) {
  const test::Scratch scratch;
  test::make_dir(scratch / "outside");
  test::write_text(scratch / "outside/kept", "x");
  test::make_dir(scratch / "t");
  ASSERT_TRUE(sys::symlinkat(scratch / "outside", AT_FDCWD, scratch / "t/link"));
  ASSERT_EQ(::link((scratch / "outside/kept").c_str(), (scratch / "t/hard").c_str()), 0);
  ASSERT_TRUE(delete_tree(scratch / "t"));
  EXPECT_FALSE(sys::fstatat(AT_FDCWD, scratch / "t"));
  EXPECT_TRUE(sys::fstatat(AT_FDCWD, scratch / "outside/kept"));
  ASSERT_TRUE(sys::symlinkat(scratch / "outside", AT_FDCWD, scratch / "link"));
  ASSERT_TRUE(delete_tree(scratch / "link"));
  EXPECT_TRUE(sys::fstatat(AT_FDCWD, scratch / "outside/kept"));
  EXPECT_TRUE(delete_tree(scratch / "never was"));
}

TEST(DeleteTree, HandlesTenThousandLevels) {
  // In memory: a disk takes seconds to make such a tree.
  const test::Scratch scratch("/dev/shm");
  test::make_dir(scratch / "t");
  auto here = sys::open(scratch / "t", O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(here);
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(sys::mkdirat(here->get(), "lifted.0", 0700));
    ASSERT_TRUE(sys::create_file_at(here->get(), "file", "x"));
    here = sys::openat(here->get(), "lifted.0", O_RDONLY | O_DIRECTORY);
    ASSERT_TRUE(here);
  }
  ASSERT_TRUE(delete_tree(scratch / "t"));
  EXPECT_FALSE(sys::fstatat(AT_FDCWD, scratch / "t"));
}

}  // namespace
}  // namespace templates
