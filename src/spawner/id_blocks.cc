#include "spawner/id_blocks.h"

#include "sys/user_namespace.h"

namespace spawner {

Result<std::uint32_t> IdBlocks::take_slot() {
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    const std::uint32_t slot = kFirst + i * kSlotSize;
    // A slot in which sandboxes of an earlier nursery still live is not free, even when its nursery is gone.
    const auto taken = blocks_.lower_bound(slot);
    if (taken != blocks_.end() && *taken < slot + kSlotSize) continue;
    if (slots_.insert(slot).second) return slot;
  }
  return base::fail(base::Code::kExhausted,
                    "all id ranges for templates are in use; remove a template or a sandbox");
}

void IdBlocks::give_back_slot(std::uint32_t slot) {
  slots_.erase(slot);
  id_maps_.erase(id_maps_.lower_bound(slot), id_maps_.lower_bound(slot + kSlotSize));
}

Result<std::uint32_t> IdBlocks::take_block(std::uint32_t slot) {
  std::uint32_t& next = next_.try_emplace(slot, 1).first->second;
  const auto take = [&](std::uint32_t block) {
    return blocks_.insert(slot + block * jail::kBlockSize).second;
  };
  for (std::uint32_t tried = 1; tried < kRound; ++tried) {
    const std::uint32_t block = next;
    next = next + 1 < kRound ? next + 1 : 1;
    if (take(block)) return slot + block * jail::kBlockSize;
  }
  for (std::uint32_t block = kRound; block < kBlocksPerSlot; ++block) {
    if (take(block)) return slot + block * jail::kBlockSize;
  }
  return base::fail(base::Code::kExhausted,
                    "1,023 sandboxes of this template are alive; end one of them first");
}

void IdBlocks::give_back_block(std::uint32_t first_id) {
  blocks_.erase(first_id);
  const bool in_round = (first_id - kFirst) % kSlotSize < kRound * jail::kBlockSize;
  if (!in_round || maps_ == Maps::kDrop) id_maps_.erase(first_id);
}

void IdBlocks::reserve_block(std::uint32_t first_id) { blocks_.insert(first_id); }

Result<int> IdBlocks::id_map(std::uint32_t first_id) {
  if (const auto found = id_maps_.find(first_id); found != id_maps_.end()) return found->second.get();
  ASSIGN_OR_RETURN(auto space,
                   sys::make_user_namespace({.inside = 0, .outside = first_id, .count = jail::kBlockSize}));
  return id_maps_.emplace(first_id, std::move(space)).first->second.get();
}

}  // namespace spawner
