#include "template/pip_lock.h"

#include <gmock/gmock.h>

namespace templates {
namespace {

const std::string kHash(64, 'a');
const std::string kOther(64, 'b');

std::string error_of(std::string_view text) {
  const auto packages = parse_pip_lock(text, "l");
  return packages ? "(parsed)" : packages.error().message;
}

TEST(PipLock, HoldsVersionsAndHashes) {
  const auto packages = parse_pip_lock("# why\n\nnumpy==2.3.4 --hash=sha256:" + kHash +
                                           "\nZope.x_y==1!2.0.post1+cpu \\\n    --hash=sha256:" + kHash +
                                           " \\\n    --hash=sha256:" + kOther + "\n",
                                       "l");
  ASSERT_TRUE(packages) << packages.error().message;
  ASSERT_EQ(packages->size(), 2U);
  EXPECT_EQ(packages->at(0).name, "numpy");
  EXPECT_EQ(packages->at(0).version, "2.3.4");
  EXPECT_EQ(packages->at(1).version, "1!2.0.post1+cpu");
  EXPECT_EQ(packages->at(1).hashes, (std::vector{kHash, kOther}));
  EXPECT_EQ(format_requirements(*packages), "numpy==2.3.4 --hash=sha256:" + kHash +
                                                "\nZope.x_y==1!2.0.post1+cpu --hash=sha256:" + kHash +
                                                " --hash=sha256:" + kOther + "\n");
}

TEST(PipLock, ErrorsNameTheLine) {
  const auto good = "a==1 --hash=sha256:" + kHash + "\n";
  EXPECT_EQ(error_of(good + "b==1\n"), "l:2: b has no --hash=sha256:…");
  EXPECT_EQ(error_of(good + "\n" + good), "l:3: a appears twice");
  EXPECT_EQ(error_of(good + "b>=1 --hash=sha256:" + kHash + "\n"), "l:2: b>=1: expected 'name==version'");
  EXPECT_EQ(error_of("# nothing\n"), "l:1: no packages");
  EXPECT_EQ(error_of(good + "b==1 \\\n"), "l:2: the last line ends with a backslash");
}

TEST(PipLock, RefusesWhatPipWouldObey) {
  const auto hash = " --hash=sha256:" + kHash;
  for (const auto& bad : std::vector<std::string>{
           "--index-url x://y/",
           "-r other.txt",
           "-e .",
           "a @ x://y/a.whl",
           "x://y/a.whl",
           "./a.whl",
           "--find-links /x",
           "--trusted-host=y",
           "a==1 ; python_version<'3'",
           "a[extra]==1",
           "a==1,==2",
           "a==1.*",
           "a===1",
           "-a==1",
           "a-==1",
           "a==",
           "==1",
           "a==1 # no",
           "a==1 --hash=md5:00",
           "a==1 --hash=sha256:xyz",
           "a==1 --global-option=x",
           "${HOME}==1",
           "a==1\t",
           "A_B==1 --hash=sha256:" + kHash + "\na-b==1",
       }) {
    EXPECT_NE(error_of(bad + hash + "\n"), "(parsed)") << bad;
  }
  EXPECT_NE(error_of(std::string(kMaxLockBytes + 1, '#')), "(parsed)");
}

}  // namespace
}  // namespace templates
