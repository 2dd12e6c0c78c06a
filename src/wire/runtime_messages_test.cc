#include "wire/runtime_messages.h"

#include "tests/support/result.h"
#include "wire/frame.h"

namespace wire::runtime {
namespace {

using support::FailsSaying;

std::optional<Piece> only(PieceReader& reader) {
  auto piece = reader.next().value();
  EXPECT_FALSE(reader.next().value()) << "nothing follows";
  return piece;
}

TEST(RuntimeMessages, AMessageComesBackWhole) {
  PieceReader reader;
  reader.feed("event 7 5\nhello");
  const auto piece = only(reader);
  ASSERT_TRUE(piece);
  EXPECT_EQ(piece->verb, Verb::kEvent);
  EXPECT_EQ(piece->execution, 7U);
  EXPECT_EQ(piece->bytes, "hello");
  EXPECT_TRUE(piece->is_last());
}

TEST(RuntimeMessages, APayloadMayBeEmptyAndBinary) {
  PieceReader reader;
  reader.feed(std::string("done 0 0\nready 0 3\n\0\n\xff", 22));
  const auto first = reader.next().value();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->verb, Verb::kDone);
  EXPECT_TRUE(first->is_last());
  const auto second = only(reader);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->bytes, std::string("\0\n\xff", 3));
}

TEST(RuntimeMessages, HoweverItIsCutItIsTheSame) {
  const std::string all = "part 1 4\nabcdevent 1 3\nxyzdone 1 2\n{}";
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    PieceReader reader;
    std::string said;
    for (std::size_t at = 0; at < all.size(); at += cut) {
      reader.feed(std::string_view(all).substr(at, cut));
      while (const auto piece = reader.next().value()) {
        said += piece->bytes + (piece->is_last() ? ";" : "");
      }
    }
    EXPECT_EQ(said, "abcd;xyz;{};") << cut;
  }
}

TEST(RuntimeMessages, ALargeOneComesInChunksWithTheirPlaces) {
  PieceReader reader;
  const std::string payload(kMaxChunk * 2 + 5, 'x');
  reader.feed("event 1 " + std::to_string(payload.size()) + "\n" + payload);
  std::size_t seen = 0;
  while (const auto piece = reader.next().value()) {
    EXPECT_LE(piece->bytes.size(), kMaxChunk);
    EXPECT_EQ(piece->offset, seen);
    EXPECT_EQ(piece->total, payload.size());
    seen += piece->bytes.size();
  }
  EXPECT_EQ(seen, payload.size());
}

TEST(RuntimeMessages, WhatIsNotTheProtocolIsRefused) {
  for (const char* line :
       {"\n", "event\n", "event 1\n", "event 1 \n", "event  1 2\n", "event 1 2 3\n", "event 1 2 \n",
        "EVENT 1 2\n", "execute 1 2\n", "event -1 2\n", "event +1 2\n", "event 01 2\n", "event 1 4194305\n",
        "event 4294967296 1\n", "event 1 1x\n", " event 1 1\n", "event\t1\t1\n"}) {
    PieceReader reader;
    reader.feed(line);
    EXPECT_THAT(reader.next(), FailsSaying("does not keep to the protocol")) << line;
  }
  PieceReader endless;
  endless.feed(std::string(kMaxHeader, 'e'));
  EXPECT_THAT(endless.next(), FailsSaying("does not keep to the protocol"));
}

TEST(RuntimeMessages, AnExecutionIsALineAndItsBytes) {
  EXPECT_EQ(encode_execute(12, "{\"code\": 1}"), "execute 12 11\n{\"code\": 1}");
  EXPECT_EQ(encode_seen(12), "seen 12 0\n");
}

}  // namespace
}  // namespace wire::runtime
