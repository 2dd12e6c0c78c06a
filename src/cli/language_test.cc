#include "cli/language.h"

#include "tests/support/result.h"

namespace cli {
namespace {

using support::FailsSaying;

TEST(Language, AFileIsKnownByItsEnding) {
  const std::pair<const char*, const char*> cases[] = {
      {"a.py", "python"}, {"/x/y.z/a.js", "javascript"}, {"a.mjs", "javascript"}, {"a.cjs", "javascript"},
      {"./a.sh", "bash"}, {"a.tar.bash", "bash"},
  };
  for (const auto& [file, name] : cases) {
    ASSERT_OK_AND_ASSIGN(const Language* language, language_of_file(file));
    EXPECT_EQ(language->name, name) << file;
  }
}

TEST(Language, AFileWithoutAKnownEndingAsksForTheOption) {
  for (const char* file : {"", "script", "a.rb", "a.PY", "a.py/b", "py"}) {
    EXPECT_THAT(language_of_file(file), FailsSaying("--language")) << file;
  }
}

TEST(Cells, BeginAtTheirMarks) {
  const Language& python = *language_by_name("python").value();
  EXPECT_THAT(cells_of("x = 1\nx", python), testing::ElementsAre("x = 1\nx"));
  EXPECT_THAT(cells_of("# %% first\nx = 1\n# %%\n\nx\n", python), testing::ElementsAre("x = 1\n", "\nx\n"));
  EXPECT_THAT(cells_of("\n \n# %%\ny", python), testing::ElementsAre("y"));
  EXPECT_THAT(cells_of("# %% a title alone\n# %%\n%%bash\nls", python), testing::ElementsAre("%%bash\nls"));
  EXPECT_THAT(cells_of("", python), testing::IsEmpty());
}

TEST(Languages, TypeScriptNeedsAContext) {
  EXPECT_FALSE(runs_as_program(*language_of_file("a.ts").value()));
  EXPECT_TRUE(runs_as_program(*language_of_file("a.js").value()));
}

}  // namespace
}  // namespace cli
