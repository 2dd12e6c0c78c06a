#include "template/pip.h"

#include <gmock/gmock.h>

#include "template/test_support.h"

namespace templates {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string version_with(const std::string& target) {
  const test::Scratch scratch;
  test::make_dir(scratch / "usr");
  test::make_dir(scratch / "usr/bin");
  if (!target.empty()) EXPECT_TRUE(sys::symlinkat(target, AT_FDCWD, scratch / "usr/bin/python3"));
  const auto version = python_version(*Tree::open(scratch.path()));
  return version ? *version : version.error().message;
}

TEST(Pip, ChoosesForThePythonOfTheTree) {
  EXPECT_EQ(version_with("python3.13"), "3.13");
  EXPECT_EQ(version_with("python3.9"), "3.9");
  for (const std::string bad : {"", "/etc/passwd", "python3", "python2.7", "python3.", "python3.1x",
                                "python3.13-dbg", "python3.1234", "../python3.13"}) {
    EXPECT_THAT(version_with(bad), HasSubstr("no /usr/bin/python3")) << bad;
  }
}

TEST(Pip, EveryLockedHashIsAKeyOfTheCache) {
  const std::string one(64, '1');
  const std::string two(64, '2');
  const auto files = files_of({{.name = "a", .version = "1.0", .hashes = {one, two}}});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].label, "a 1.0");
  EXPECT_THAT(files[0].keys, ElementsAre("sha256-" + one, "sha256-" + two));
}

}  // namespace
}  // namespace templates
