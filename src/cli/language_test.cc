#include "cli/language.h"

#include "tests/support/result.h"

namespace cli {
namespace {

using support::FailsSaying;
using support::FailsWith;

TEST(Language, WhatPeopleTypeIsUnderstood) {
  const std::pair<const char*, const char*> cases[] = {
      {"python", "python"}, {"py", "python"},       {"python3", "python"}, {"javascript", "javascript"},
      {"js", "javascript"}, {"node", "javascript"}, {"bash", "bash"},      {"sh", "bash"},
      {"shell", "bash"},
  };
  for (const auto& [typed, meant] : cases) {
    ASSERT_OK_AND_ASSIGN(const Language* language, language_by_name(typed));
    EXPECT_EQ(language->name, meant) << typed;
  }
}

TEST(Language, AnUnknownNameIsToldTheKnownOnes) {
  for (const char* name : {"", "ruby", "Python", "python "}) {
    EXPECT_THAT(language_by_name(name), FailsWith(base::Code::kInvalid)) << name;
    EXPECT_THAT(language_by_name(name), FailsSaying("python, javascript, typescript, bash")) << name;
  }
}

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

TEST(Language, EachOneRunsFilesAndCode) {
  for (const char* name : {"python", "javascript", "bash"}) {
    const Language* language = language_by_name(name).value();
    EXPECT_FALSE(language->run_file.empty());
    EXPECT_GT(language->run_code.size(), 1U) << "an interpreter and the option that takes code";
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
