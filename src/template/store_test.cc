#include "template/store.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "template/test_support.h"

namespace templates {
namespace {

using test::build_tiny;
using test::open_store;
using test::tiny_request;
using testing::ElementsAre;
using testing::IsEmpty;

Recipe recipe_in(std::string language) {
  auto recipe = test::tiny_recipe();
  recipe.environment = {{"LANG", std::move(language)}};
  return recipe;
}

TEST(Store, ResolvesNamesDigestsAndUniqueBeginnings) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  const auto digest = build_tiny(store, tiny_request("one", recipe_in("C"))).info.digest;
  for (const auto& reference : {std::string("one"), digest, digest.substr(0, 12)}) {
    const auto info = store.resolve(reference);
    ASSERT_TRUE(info) << reference;
    EXPECT_EQ(info->digest, digest);
    EXPECT_EQ(info->root, scratch / ("state/templates/" + digest + "/root"));
  }
  for (const auto& reference : {std::string("two"), std::string(""), digest.substr(0, 3),
                                std::string(64, '0'), std::string("../names/one"), std::string("names")}) {
    const auto info = store.resolve(reference);
    ASSERT_FALSE(info) << reference;
    EXPECT_EQ(info.error().code, base::Code::kNotFound) << reference;
  }
}

TEST(Store, ListsByNameWithAllNames) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  (void)build_tiny(store, tiny_request("zebra", recipe_in("C")));
  (void)build_tiny(store, tiny_request("ant", recipe_in("D")));
  const auto all = store.list();
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  EXPECT_THAT((*all)[0].names, ElementsAre("ant"));
  EXPECT_THAT((*all)[1].names, ElementsAre("zebra"));
}

TEST(Store, ShowsATemplateWithABrokenMetaAsAProblem) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  const auto digest = build_tiny(store, tiny_request("one")).info.digest;
  ASSERT_TRUE(sys::write_existing(store.directory_of(digest) + "/meta", "garbage"));
  EXPECT_NE(store.resolve("one")->problem, "");
  EXPECT_FALSE(store.verify(digest));
  EXPECT_EQ(build_tiny(store, tiny_request("one")).what, BuildOutcome::What::kBuilt);
  EXPECT_EQ(store.resolve("one")->problem, "");
}

TEST(Store, VerifyNoticesAChangedTree) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  const auto info = build_tiny(store, tiny_request("one")).info;
  ASSERT_TRUE(store.verify(info.digest));
  ASSERT_EQ(::chmod((info.root + "/usr/bin/tool").c_str(), 0755), 0);
  const auto verified = store.verify(info.digest);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().code, base::Code::kConflict);
}

TEST(Store, RemovalIsNamesThenTrashThenTree) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  const auto digest = build_tiny(store, tiny_request("one")).info.digest;
  ASSERT_TRUE(store.set_name("alias", digest, IfTaken::kFail));
  const auto trash = store.trash_path();
  ASSERT_TRUE(sys::renameat(AT_FDCWD, store.directory_of(digest), AT_FDCWD, trash));
  EXPECT_EQ(store.resolve("one").error().code, base::Code::kNotFound);
  const auto names = store.remove_names(digest);
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_THAT(*names, ElementsAre("alias", "one"));
  // Nobody deleted the trash: the next opening does.
  (void)open_store(scratch / "state");
  EXPECT_THAT(test::leftovers(store), IsEmpty());
  EXPECT_THAT(*store.list(), IsEmpty());
}

TEST(Store, ANameIsTakenOverOnlyWhenAskedFor) {
  const test::Scratch scratch;
  const auto store = open_store(scratch / "state");
  (void)build_tiny(store, tiny_request("one", recipe_in("C")));
  const auto other = build_tiny(store, tiny_request("two", recipe_in("D"))).info.digest;
  EXPECT_EQ(store.set_name("one", other, IfTaken::kFail).error().code, base::Code::kConflict);
  ASSERT_TRUE(store.set_name("one", other, IfTaken::kReplace));
  EXPECT_EQ(store.resolve("one")->digest, other);
  for (const auto* bad : {"", "../x", "UPPER", "trash", "trash.x", ".hidden", "a b"}) {
    EXPECT_EQ(store.set_name(bad, other, IfTaken::kReplace).error().code, base::Code::kInvalid) << bad;
  }
}

}  // namespace
}  // namespace templates
