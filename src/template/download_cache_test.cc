#include "template/download_cache.h"

#include <gmock/gmock.h>

#include "template/test_support.h"

namespace templates {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kKey = "sha256-" + sha256_hex("wheel");

// A cache and a tree, both empty.
struct Place {
  Place() {
    test::make_dir(scratch / "tree");
    test::make_dir(scratch / "in");
  }
  DownloadCache cache() const {
    auto opened = DownloadCache::open(scratch / "downloads");
    EXPECT_TRUE(opened) << opened.error().message;
    return *std::move(opened);
  }
  Tree tree() const { return *Tree::open(scratch / "tree"); }
  std::string fetched(const std::string& name, std::string_view text) const {
    test::write_text(scratch / ("in/" + name), text);
    return scratch / ("in/" + name);
  }
  test::Scratch scratch;
};

TEST(DownloadCache, KeepsAFileUnderTheHashThatItHas) {
  const Place place;
  auto cache = place.cache();
  EXPECT_FALSE(cache.has(kKey));
  EXPECT_EQ(*cache.adopt(place.fetched("a-1.whl", "wheel"), EVP_sha256()), kKey);
  EXPECT_THAT(*sys::entries(place.scratch / "in"), IsEmpty());
  // Another build's cache sees it too.
  auto again = place.cache();
  ASSERT_TRUE(again.has(kKey));
  EXPECT_EQ(again.name_of(kKey), "a-1.whl");
  EXPECT_EQ(**again.copy_out(kKey, place.tree(), "a-1.whl"), 5U);
  EXPECT_EQ(*sys::read_file(place.scratch / "tree/a-1.whl"), "wheel");
  EXPECT_EQ(sys::fstatat(AT_FDCWD, place.scratch / "downloads")->st_mode & 07777U, 0700U);
}

TEST(DownloadCache, WhatHasAnotherHashThanItsNameNeverEntersATree) {
  const Place place;
  test::make_dir(place.scratch / "downloads");
  test::write_text(place.scratch / ("downloads/" + kKey + "-a-1.whl"), "evil!");
  auto cache = place.cache();
  ASSERT_TRUE(cache.has(kKey));
  const auto copied = cache.copy_out(kKey, place.tree(), "a-1.whl");
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_FALSE(*copied);
  EXPECT_THAT(*sys::entries(place.scratch / "tree"), IsEmpty());
  EXPECT_THAT(*sys::entries(place.scratch / "downloads"), IsEmpty()) << "it is fetched again";
  EXPECT_FALSE(cache.has(kKey));
}

TEST(DownloadCache, WhatIsDeletedMeanwhileIsMissing) {
  const Place place;
  auto cache = place.cache();
  ASSERT_TRUE(cache.adopt(place.fetched("a-1.whl", "wheel"), EVP_sha256()));
  ASSERT_TRUE(sys::unlinkat(AT_FDCWD, place.scratch / ("downloads/" + kKey + "-a-1.whl")));
  EXPECT_FALSE(*cache.copy_out(kKey, place.tree(), "a-1.whl"));
  EXPECT_FALSE(cache.has(kKey));
}

TEST(DownloadCache, LooksAtNoFileThatIsNotItsOwn) {
  const Place place;
  test::make_dir(place.scratch / "downloads");
  for (const std::string name : {"notes", "sha256-zz-a.whl", "sha1-00-a.whl", "x"}) {
    test::write_text(place.scratch / ("downloads/" + name), "");
  }
  test::write_text(place.scratch / ("downloads/" + kKey), "");
  test::write_text(place.scratch / ("downloads/" + kKey + "-.hidden"), "");
  const auto cache = place.cache();
  EXPECT_FALSE(cache.has(kKey));
}

TEST(DownloadCache, KeepsLongHashesToo) {
  const Place place;
  auto cache = place.cache();
  const auto key = cache.adopt(place.fetched("a-1.tgz", "pack"), EVP_sha512());
  ASSERT_TRUE(key) << key.error().message;
  EXPECT_EQ(key->size(), 7U + 128U);
  auto again = place.cache();
  EXPECT_EQ(**again.copy_out(*key, place.tree(), "a-1.tgz"), 4U);
}

TEST(DownloadCache, RefusesNamesThatAreNotPlain) {
  for (const std::string bad : {"", ".", "..", ".x", "-x", "a b", "a/b", "a\n", "\xff", "a'b"}) {
    EXPECT_FALSE(is_download_name(bad)) << bad;
  }
  EXPECT_TRUE(is_download_name("numpy-2.3.4+x-cp313-cp313-manylinux_2_27_x86_64.whl"));
  const Place place;
  auto cache = place.cache();
  EXPECT_FALSE(cache.adopt(place.fetched(".whl", "wheel"), EVP_sha256()));
  EXPECT_FALSE(cache.adopt(place.fetched(std::string(200, 'n'), "wheel"), EVP_sha256())) << "too long";
}

}  // namespace
}  // namespace templates
