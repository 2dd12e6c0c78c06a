#include "template/locked_files.h"

#include <gmock/gmock.h>
#include <sys/eventfd.h>

#include <thread>

#include "template/test_support.h"

namespace templates {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Files "0", "1"… whose content is their number, a cache, and a tool that brings them.
class Shop {
 public:
  explicit Shop(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      files.push_back(
          {.label = "file " + std::to_string(i), .keys = {"sha256-" + sha256_hex(std::to_string(i))}});
    }
    EXPECT_TRUE(sys::mkdirat(AT_FDCWD, scratch / "builds", 0700));
    test::make_dir(scratch / "tree");
  }
  Result<Brought> bring(const Cancel& cancel = Cancel()) {
    const auto staging = Staging::create(scratch / "builds", "shop");
    auto cache = DownloadCache::open(downloads);
    const auto tree = Tree::open(scratch / "tree");
    if (!staging || !cache || !tree) return base::fail(base::Code::kInternal, "no place");
    const auto fetch = [this](std::span<const std::size_t> which, const std::string& directory) -> Result<> {
      batches.emplace_back(which.begin(), which.end());
      for (const auto index : which)
        test::write_text(directory + "/f" + std::to_string(index), content(index));
      return after_batch();
    };
    EXPECT_TRUE(tree->make_directory("in", 0755, {}));
    LockedFiles locked(files, *cache, fetch, EVP_sha256());
    return locked.bring({.staging = *staging, .tree = *tree, .progress = progress, .cancel = cancel}, "in");
  }
  std::string cached(std::size_t index) const {
    return scratch / ("downloads/" + files[index].keys[0] + "-f" + std::to_string(index));
  }

  test::Scratch scratch;
  std::string downloads = scratch / "downloads";
  test::Recorder progress;
  std::vector<LockedFile> files;
  std::vector<std::vector<std::size_t>> batches;
  std::function<std::string(std::size_t)> content = [](std::size_t index) { return std::to_string(index); };
  std::function<Result<>()> after_batch = [] { return Result<>(); };
};

TEST(LockedFiles, AreFetchedOnceAndThenTakenFromTheCache) {
  Shop shop(3);
  const auto first = shop.bring();
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_THAT(first->names, ElementsAre("f0", "f1", "f2"));
  EXPECT_EQ(first->bytes, 3U);
  EXPECT_THAT(shop.batches, ElementsAre(ElementsAre(0, 1, 2)));
  EXPECT_EQ(*sys::read_file(shop.scratch / "tree/in/f1"), "1");
  ASSERT_TRUE(shop.bring());
  EXPECT_EQ(shop.batches.size(), 1U);
}

TEST(LockedFiles, AfterAFailureOnlyWhatIsMissingIsFetched) {
  Shop shop(20);
  shop.after_batch = [&]() -> Result<> {
    if (shop.batches.size() < 2) return {};
    return base::fail(base::Code::kUnavailable, "the line is cut");
  };
  const auto cut = shop.bring();
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message, "the line is cut");
  EXPECT_THAT(*sys::entries(shop.scratch / "builds"), ElementsAre(".guard"));
  const auto had = sys::entries(shop.scratch / "downloads")->size();
  EXPECT_GT(had, 0U);
  shop.after_batch = [] { return Result<>(); };
  shop.batches.clear();
  ASSERT_TRUE(shop.bring());
  std::size_t fetched = 0;
  for (const auto& batch : shop.batches) fetched += batch.size();
  EXPECT_EQ(fetched + had, 20U);
}

TEST(LockedFiles, ASpoiltCopyInTheCacheIsFetchedAgain) {
  Shop shop(2);
  ASSERT_TRUE(shop.bring());
  ASSERT_TRUE(sys::unlinkat(AT_FDCWD, shop.cached(1)));
  test::write_text(shop.cached(1), "spoilt");
  const auto again = shop.bring();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(shop.batches, ElementsAre(ElementsAre(0, 1), ElementsAre(1)));
  EXPECT_EQ(*sys::read_file(shop.scratch / "tree/in/f1"), "1");
  EXPECT_EQ(again->bytes, 2U);
}

TEST(LockedFiles, WhatIsFetchedWithAnotherHashIsRefusedByName) {
  Shop shop(2);
  shop.content = [](std::size_t index) { return index == 1 ? "other" : std::to_string(index); };
  const auto brought = shop.bring();
  ASSERT_FALSE(brought);
  EXPECT_THAT(brought.error().message, HasSubstr("file 1: what was fetched has another hash"));
  EXPECT_THAT(*sys::entries(shop.scratch / "tree/in"), IsEmpty());
}

TEST(LockedFiles, TwoBuildsAtOnceShareTheCache) {
  Shop one(30);
  Shop other(30);
  other.downloads = one.downloads;
  std::thread builder([&] { EXPECT_TRUE(one.bring()); });
  EXPECT_TRUE(other.bring());
  builder.join();
  EXPECT_EQ(sys::entries(one.downloads)->size(), 30U);
  for (const auto* shop : {&one, &other}) EXPECT_EQ(*sys::read_file(shop->scratch / "tree/in/f29"), "29");
}

TEST(LockedFiles, ACancelKeepsWhatWasFetched) {
  Shop shop(20);
  const sys::UniqueFd event(::eventfd(0, EFD_CLOEXEC));
  shop.after_batch = [&] {
    return ::eventfd_write(event.get(), 1) == 0 ? Result<>() : base::failed_call("eventfd");
  };
  const auto cut = shop.bring(Cancel(event.get()));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message, "interrupted");
  EXPECT_EQ(shop.batches.size(), 1U);
  EXPECT_EQ(sys::entries(shop.scratch / "downloads")->size(), shop.batches[0].size());
}

}  // namespace
}  // namespace templates
