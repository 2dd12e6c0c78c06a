#include "spawner/id_blocks.h"

#include <fcntl.h>

#include <set>

#include "tests/support/result.h"

namespace spawner {
namespace {

using base::Code;
using support::FailsWith;

bool overlap(std::uint32_t a, std::uint32_t b, std::uint32_t size) { return a < b + size && b < a + size; }

TEST(IdBlocks, SlotsNeverOverlapAndEndBelowTheLargestId) {
  IdBlocks blocks;
  std::vector<std::uint32_t> slots;
  for (std::uint32_t i = 0; i < IdBlocks::kSlots; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto slot, blocks.take_slot());
    EXPECT_GE(slot, IdBlocks::kFirst) << "far above the ids of people and services";
    EXPECT_LE(std::uint64_t{slot} + IdBlocks::kSlotSize, 1ULL << 31);
    for (const auto other : slots) EXPECT_FALSE(overlap(slot, other, IdBlocks::kSlotSize));
    slots.push_back(slot);
  }
  EXPECT_THAT(blocks.take_slot(), FailsWith(Code::kExhausted));
  blocks.give_back_slot(slots[7]);
  EXPECT_EQ(blocks.take_slot().value(), slots[7]);
}

TEST(IdBlocks, BlocksOfASlotAreDisjointAndLeaveTheFirstToTheNursery) {
  IdBlocks blocks;
  const auto slot = blocks.take_slot().value();
  std::set<std::uint32_t> taken;
  for (std::uint32_t i = 1; i < IdBlocks::kBlocksPerSlot; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto first, blocks.take_block(slot));
    EXPECT_EQ((first - slot) % jail::kBlockSize, 0U);
    EXPECT_GT(first, slot);
    EXPECT_LT(first, slot + IdBlocks::kSlotSize);
    EXPECT_TRUE(taken.insert(first).second);
  }
  EXPECT_THAT(blocks.take_block(slot), FailsWith(Code::kExhausted));
  blocks.give_back_block(*taken.begin());
  EXPECT_EQ(blocks.take_block(slot).value(), *taken.begin());
}

TEST(IdBlocks, ABlockIsNotReusedSoon) {
  IdBlocks blocks;
  const auto slot = blocks.take_slot().value();
  std::set<std::uint32_t> seen;
  for (std::uint32_t i = 1; i < IdBlocks::kRound; ++i) {
    const auto first = blocks.take_block(slot).value();
    EXPECT_TRUE(seen.insert(first).second);
    blocks.give_back_block(first);
  }
}

TEST(IdBlocks, ABlockThatLivesFromBeforeIsNotGivenAway) {
  IdBlocks blocks;
  const auto slot = blocks.take_slot().value();
  const std::uint32_t old = slot + 2 * jail::kBlockSize;
  blocks.reserve_block(old);
  for (std::uint32_t i = 2; i < IdBlocks::kBlocksPerSlot; ++i)
    EXPECT_NE(blocks.take_block(slot).value(), old);
  EXPECT_THAT(blocks.take_block(slot), FailsWith(Code::kExhausted));
}

TEST(IdBlocks, ASlotWithALivingBlockIsNotGivenToAnotherNursery) {
  IdBlocks blocks;
  blocks.reserve_block(IdBlocks::kFirst + 5 * jail::kBlockSize);
  EXPECT_EQ(blocks.take_slot().value(), IdBlocks::kFirst + IdBlocks::kSlotSize);
  blocks.give_back_block(IdBlocks::kFirst + 5 * jail::kBlockSize);
  EXPECT_EQ(blocks.take_slot().value(), IdBlocks::kFirst);
}

TEST(IdBlocks, MapsGoWithTheirSlot) {
  IdBlocks blocks;
  const auto slot = blocks.take_slot().value();
  const auto first = blocks.take_block(slot).value();
  const int map = blocks.id_map(first).value();
  blocks.give_back_block(first);
  EXPECT_EQ(blocks.id_map(first).value(), map);
  blocks.give_back_slot(slot);
  EXPECT_EQ(::fcntl(map, F_GETFD), -1);
}

TEST(IdBlocks, TheMapOfABlockIsMadeOnceAndKept) {
  IdBlocks blocks;
  ASSERT_OK_AND_ASSIGN(const int one, blocks.id_map(IdBlocks::kFirst));
  ASSERT_OK_AND_ASSIGN(const int other, blocks.id_map(IdBlocks::kFirst + jail::kBlockSize));
  EXPECT_NE(one, other);
  EXPECT_EQ(blocks.id_map(IdBlocks::kFirst).value(), one);
}

}  // namespace
}  // namespace spawner
