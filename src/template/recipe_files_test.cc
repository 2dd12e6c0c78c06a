#include "template/recipe_files.h"

#include <gmock/gmock.h>

#include "template/test_support.h"

namespace templates {
namespace {

using testing::HasSubstr;

const std::string kHash(64, 'a');

class RecipeFiles : public testing::Test {
 protected:
  std::string error_of() {
    const auto recipe = load_recipe(scratch_ / "x.recipe");
    return recipe ? "(loaded)" : recipe.error().message;
  }
  void write(const std::string& name, std::string_view text) { test::write_text(scratch_ / name, text); }

  test::Scratch scratch_;
};

TEST_F(RecipeFiles, BringTheLockThatLiesBesideTheRecipe) {
  write("x.recipe", "from = base\n[pip some.lock]\n");
  write("some.lock", "a==1 --hash=sha256:" + kHash + "\n");
  const auto recipe = load_recipe(scratch_ / "x.recipe");
  ASSERT_TRUE(recipe) << recipe.error().message;
  ASSERT_EQ(recipe->pip.packages.size(), 1U);
  EXPECT_EQ(recipe->pip.packages[0].name, "a");
  auto other = *recipe;
  other.pip.packages[0].version = "2";
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

}  // namespace
}  // namespace templates
