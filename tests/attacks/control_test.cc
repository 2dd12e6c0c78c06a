// The door that these tests weaken sandboxes through is not there in the product.
#include <gmock/gmock.h>

#include "tests/attacks/lab.h"

namespace attacks {

TEST(Control, TheProductWeakensNothing) {
  for (unsigned bit = 0; bit < 32; ++bit) {
    const Subject subject(Lab::current().product(), {.weaken = 1U << bit});
    EXPECT_THAT(subject.refusal(), testing::HasSubstr("weakens no sandbox")) << "bit " << bit;
  }
}

TEST(Control, WithoutABitTheControlJailIsTheProducts) {
  // The spawner's own filter apart: with it no jail could be without any.
  auto usual = control_jail({});
  const auto report = usual.run("status_lines");
  EXPECT_EQ(report.value("main.Seccomp"), "2") << report.text();
  EXPECT_EQ(report.value("main.NoNewPrivs"), "1");
  EXPECT_EQ(usual.run("mount_table").values("mount"), sandbox().run("mount_table").values("mount"));
  EXPECT_EQ(usual.run("capability_sets").facts, sandbox().run("capability_sets").facts);
}

}  // namespace attacks
