#include "files/zip_entries.h"

#include <gtest/gtest.h>

namespace files {
namespace {

std::uint64_t counted(std::string_view text, std::size_t piece) {
  ZipEntries entries;
  for (std::size_t at = 0; at < text.size(); at += piece) entries.look_at(text.substr(at, piece));
  return entries.at_most();
}

TEST(ZipEntries, AreCountedOnceHoweverTheArchiveIsCut) {
  const std::string text = "PK\1\2xPK\1\2PK\3\4PPK\1\2PK\1PK\1\2";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) EXPECT_EQ(counted(text, piece), 4U) << piece;
}

TEST(ZipEntries, OfAnythingElseThereAreNone) {
  EXPECT_EQ(counted("", 1), 0U);
  EXPECT_EQ(counted("PK\3\4PK\5\6PK\1", 2), 0U);
}

}  // namespace
}  // namespace files
