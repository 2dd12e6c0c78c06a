#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "jail/plan.h"
#include "sys/fd.h"

namespace spawner {

using base::Result;

// Host ids are handed out in blocks of 65,536, far above those of people and services. A nursery owns a slot
// of consecutive blocks: ids of different templates never overlap, so a process that may become any id of its
// nursery is still nobody to another's sandboxes. The first block of a slot belongs to the nursery itself.
class IdBlocks {
 public:
  static constexpr std::uint32_t kFirst = 1U << 20;
  static constexpr std::uint32_t kBlocksPerSlot = 1024;
  static constexpr std::uint32_t kSlotSize = kBlocksPerSlot * jail::kBlockSize;
  static constexpr std::uint32_t kSlots = 30;  // all below 2^31, which some tools take for the largest id

  enum class Maps { kKeep, kDrop };
  // Whether maps outlive their sandboxes, to be used again.
  explicit IdBlocks(Maps maps = Maps::kKeep) : maps_(maps) {}

  Result<std::uint32_t> take_slot();  // its first id
  void give_back_slot(std::uint32_t slot);
  Result<std::uint32_t> take_block(std::uint32_t slot);
  void give_back_block(std::uint32_t first_id);
  // A block that a sandbox of an earlier spawner still lives in.
  void reserve_block(std::uint32_t first_id);

  // The first blocks of a slot are used in turn while they suffice: an id is not used again soon, and a map
  // is made once.
  static constexpr std::uint32_t kRound = 32;

  // A user namespace that maps on-disk ids 0.. to this block.
  Result<int> id_map(std::uint32_t first_id);

 private:
  const Maps maps_;
  std::set<std::uint32_t> slots_;
  std::set<std::uint32_t> blocks_;
  std::map<std::uint32_t, std::uint32_t> next_;  // per slot: where to look next
  std::map<std::uint32_t, sys::UniqueFd> id_maps_;
};

}  // namespace spawner
