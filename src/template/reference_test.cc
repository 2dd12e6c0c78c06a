#include "template/reference.h"

#include <gmock/gmock.h>

#include "template/test_support.h"

namespace templates {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Reference, ALanguageAndItsVersionNameATemplate) {
  EXPECT_EQ(canonical_reference("python 3.11"), "python-3.11");
  EXPECT_EQ(canonical_reference(" Node  22 "), "node-22");
  EXPECT_EQ(canonical_reference("python full"), "python-full");
}

TEST(Reference, WhatIsANameOrADigestStays) {
  for (const std::string same : {"base", "python-3.11", "a_b.c", "", "-x", "../x", "a\tb"})
    EXPECT_EQ(canonical_reference(same), same);
  EXPECT_EQ(canonical_reference(std::string(64, 'a')), std::string(64, 'a'));
}

std::string found(const Store& store, std::string_view reference) {
  const auto info = store.resolve(reference);
  return info ? info->names.front() : info.error().message;
}

TEST(Reference, AStoreUnderstandsIt) {
  const test::Scratch scratch;
  const auto store = test::open_store(scratch / "state");
  EXPECT_THAT(found(store, "node 22"), HasSubstr("no template node-22; none is built yet"));
  auto other = test::tiny_recipe();
  other.environment.emplace_back("A", "b");
  (void)test::build_tiny(store, test::tiny_request("base"));
  (void)test::build_tiny(store, test::tiny_request("node-22", other));
  EXPECT_EQ(found(store, "Node 22"), "node-22");
  EXPECT_EQ(found(store, "node 20"), "base") << "which has it";
  EXPECT_EQ(found(store, "node"), "base");
}

TEST(Reference, AnUnknownOneIsToldWithWhatThereIs) {
  const test::Scratch scratch;
  const auto store = test::open_store(scratch / "state");
  (void)test::build_tiny(store, test::tiny_request("base"));
  EXPECT_THAT(found(store, "python 3.9"), HasSubstr("no template python-3.9; there are: base"));
  EXPECT_THAT(found(store, "python 3.13"), HasSubstr("no template python; there are: base"));
  EXPECT_THAT(found(store, "\x1b[2J"), Not(HasSubstr("\x1b")));
  EXPECT_THAT(found(store, ""), HasSubstr("there are: base"));
}

TEST(Reference, ATemplateOfThatNameWinsOverTheOneThatHasTheLanguage) {
  const test::Scratch scratch;
  const auto store = test::open_store(scratch / "state");
  (void)test::build_tiny(store, test::tiny_request("base"));
  auto other = test::tiny_recipe();
  other.environment.emplace_back("A", "b");
  (void)test::build_tiny(store, test::tiny_request("node", other));
  EXPECT_EQ(found(store, "node"), "node");
}

}  // namespace
}  // namespace templates
