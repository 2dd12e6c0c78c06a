#include "engine/language.h"

#include "tests/support/result.h"

namespace engine {
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

TEST(Language, EachOneRunsFilesAndCode) {
  for (const char* name : {"python", "javascript", "bash"}) {
    const Language* language = language_by_name(name).value();
    EXPECT_FALSE(language->run_file.empty());
    EXPECT_GT(language->run_code.size(), 1U) << "an interpreter and the option that takes code";
  }
}

}  // namespace
}  // namespace engine
