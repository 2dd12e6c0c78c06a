#include "api/file_part.h"

#include <gtest/gtest.h>

namespace api {
namespace {

using wire::file::Entry;

const Entry kTen{.size = 10, .inode = 7, .modified_ns = 1'000'000'001};

Part part(std::string_view range, const Entry& entry = kTen) {
  return part_of(entry, {.range = parse_range(range)});
}

void expect_part(const Part& part, unsigned status, std::uint64_t offset, std::uint64_t length) {
  EXPECT_EQ(part.status, status);
  EXPECT_EQ(part.offset, offset);
  EXPECT_EQ(part.length, length);
}

TEST(FilePart, IsTheWholeFileWhenNothingElseIsAsked) { expect_part(part(""), 200, 0, 10); }

TEST(FilePart, IsTheRangeWithinTheFile) {
  expect_part(part("bytes=0-0"), 206, 0, 1);
  expect_part(part("bytes=2-5"), 206, 2, 4);
  expect_part(part("bytes=9-"), 206, 9, 1);
  expect_part(part("bytes=5-99999999999999999999999"), 206, 5, 5);
  expect_part(part("bytes=-3"), 206, 7, 3);
  expect_part(part("bytes=-300"), 206, 0, 10);
}

TEST(FilePart, IsRefusedPastTheEnd) {
  EXPECT_EQ(part("bytes=10-").status, 416U);
  EXPECT_EQ(part("bytes=18446744073709551615-").status, 416U);
  EXPECT_EQ(part("bytes=99999999999999999999999-").status, 416U);
  EXPECT_EQ(part("bytes=-0").status, 416U);
}

TEST(FilePart, IgnoresWhatIsNoSingleRange) {
  for (const char* range : {"bytes=", "bytes=-", "bytes=5-2", "bytes=1-2,4-5", "lines=1-2", "bytes=a-b",
                            "bytes= +1-2", "bytes=1--2", "0-1", "bytes=0x1-2"}) {
    EXPECT_EQ(part(range).status, 200U) << range;
  }
}

TEST(FilePart, OfWhatHasNoSizeIsAllThatComes) {
  expect_part(part("bytes=5-6", Entry{}), 200, 0, 0);
  EXPECT_EQ(part_of(Entry{}, {.none_match = etag_of(Entry{})}).status, 200U);
}

TEST(FilePart, IsNothingWhenTheClientHasTheSame) {
  const std::string tag = etag_of(kTen);
  for (const auto& known : {tag, "W/" + tag, "\"other\" , " + tag, std::string("*")}) {
    EXPECT_EQ(part_of(kTen, {.none_match = known}).status, 304U) << known;
  }
  EXPECT_EQ(part_of(kTen, {.none_match = "\"other\", ,"}).status, 200U);
}

TEST(FilePart, IsWholeWhenTheRangeIsOfAnotherState) {
  const auto range = parse_range("bytes=1-2");
  expect_part(part_of(kTen, {.range = range, .if_range = etag_of(kTen)}), 206, 1, 2);
  expect_part(part_of(kTen, {.range = range, .if_range = "\"other\""}), 200, 0, 10);
  expect_part(part_of(kTen, {.range = range, .if_range = last_modified_of(kTen)}), 200, 0, 10);
}

TEST(FilePart, TagsTellStatesApart) {
  Entry changed = kTen;
  ++changed.modified_ns;
  EXPECT_NE(etag_of(changed), etag_of(kTen));
  changed = kTen;
  ++changed.inode;
  EXPECT_NE(etag_of(changed), etag_of(kTen));
}

TEST(FilePart, TellsTimesAsHttpDoes) {
  EXPECT_EQ(last_modified_of(kTen), "Thu, 01 Jan 1970 00:00:01 GMT");
  EXPECT_EQ(last_modified_of(Entry{.modified_ns = -1}), "Wed, 31 Dec 1969 23:59:59 GMT");
  EXPECT_FALSE(last_modified_of(Entry{.modified_ns = INT64_MIN}).empty());
}

}  // namespace
}  // namespace api
