#include "template/recipe_files.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "template/test_support.h"

namespace templates {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const std::string kHash(64, 'a');

class RecipeFiles : public testing::Test {
 protected:
  std::string error_of() {
    const auto recipe = load_recipe(scratch_ / "x.recipe", scratch_ / "shared");
    return recipe ? "(loaded)" : recipe.error().message;
  }
  void write(const std::string& name, std::string_view text) { test::write_text(scratch_ / name, text); }

  test::Scratch scratch_;
};

TEST_F(RecipeFiles, BringTheLockThatLiesBesideTheRecipe) {
  write("x.recipe", "from = base\n[pip some.lock]\n");
  write("some.lock", "a==1 --hash=sha256:" + kHash + "\n");
  const auto recipe = load_recipe(scratch_ / "x.recipe", scratch_ / "shared");
  ASSERT_TRUE(recipe) << recipe.error().message;
  ASSERT_EQ(recipe->pip_packages.size(), 1U);
  EXPECT_EQ(recipe->pip_packages[0].name, "a");
  auto other = *recipe;
  other.pip_packages[0].version = "2";
  EXPECT_NE(recipe_digest(*recipe), recipe_digest(other));
}

TEST_F(RecipeFiles, AMissingLockIsNamedWithTheLineThatWantsIt) {
  write("x.recipe", "from = base\n\n[pip some.lock]\n");
  EXPECT_THAT(error_of(), HasSubstr("x.recipe:3: "));
  EXPECT_THAT(error_of(), HasSubstr("some.lock"));
}

TEST_F(RecipeFiles, ABadLockIsNamedWithItsOwnLine) {
  write("x.recipe", "from = base\n[pip some.lock]\n");
  write("some.lock", "# locked\na==1 --hash=sha256:" + kHash + "\n--index-url=x\n");
  EXPECT_THAT(error_of(), HasSubstr("some.lock:3: "));
}

TEST_F(RecipeFiles, AFolderBecomesFilesOfTheRecipe) {
  write("x.recipe", "from = base\n[file /opt/x/own 0600]\n| mine\n[tree /opt/x things]\n");
  test::make_dir(scratch_ / "things");
  test::make_dir(scratch_ / "things/inner", 0700);
  test::make_dir(scratch_ / "things/__pycache__");
  write("things/__pycache__/a.pyc", "left by a run");
  test::make_dir(scratch_ / "things/node_modules");
  write("things/node_modules/a.js", "left by npm");
  write("things/inner/a.py", "print(1)\n");
  test::write_text(scratch_ / "things/run", "#!/bin/sh\n", 0700);
  write("things/own", "theirs\n");
  const auto recipe = load_recipe(scratch_ / "x.recipe", scratch_ / "shared");
  ASSERT_TRUE(recipe) << recipe.error().message;
  const auto path_and_mode = [](const auto& one) { return std::pair(one.path, one.mode); };
  std::vector<std::pair<std::string, mode_t>> seen;
  std::ranges::transform(recipe->directories, std::back_inserter(seen), path_and_mode);
  std::ranges::transform(recipe->files, std::back_inserter(seen), path_and_mode);
  EXPECT_THAT(seen,
              ElementsAre(Pair("/opt/x", 0755), Pair("/opt/x/inner", 0755), Pair("/opt/x/inner/a.py", 0644),
                          Pair("/opt/x/own", 0644), Pair("/opt/x/run", 0755), Pair("/opt/x/own", 0600)));
  EXPECT_EQ(recipe->files[0].content, "print(1)\n");
  EXPECT_EQ(recipe->files.back().content, "mine\n") << "the recipe's own file comes last and wins";
}

TEST_F(RecipeFiles, AFolderThatComesWithCoveIsFoundFromAnywhere) {
  write("x.recipe", "from = base\n[tree /opt/x things]\n");
  EXPECT_THAT(error_of(), HasSubstr("x.recipe:2: no folder things in "));
  test::make_dir(scratch_ / "shared");
  test::make_dir(scratch_ / "shared/things");
  EXPECT_EQ(error_of(), "(loaded)");
}

TEST_F(RecipeFiles, AFolderHoldsPlainFilesOnly) {
  write("x.recipe", "from = base\n[tree /opt/x things]\n");
  test::make_dir(scratch_ / "things");
  ASSERT_TRUE(sys::symlinkat("/etc/shadow", AT_FDCWD, scratch_ / "things/link"));
  EXPECT_THAT(error_of(), HasSubstr("things/link: neither a file nor a folder"));
  ASSERT_TRUE(sys::unlinkat(AT_FDCWD, scratch_ / "things/link"));
  write("things/new\nline", "");
  EXPECT_THAT(error_of(), HasSubstr("control characters"));
}

}  // namespace
}  // namespace templates
