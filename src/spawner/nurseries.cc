#include "spawner/nurseries.h"

#include "sys/user_namespace.h"

namespace spawner {

Result<const Nursery*> Nurseries::of(const std::string& root) {
  if (const auto found = nurseries_.find(root); found != nurseries_.end()) return &found->second;
  ASSIGN_OR_RETURN(const std::uint32_t slot, blocks_.take_slot());
  // An identity map: an id of the nursery is the same id on the host, and none outside the slot exists in it.
  // Made by the slot's first id: what sandboxes use up is not missing to the host's root.
  auto space =
      sys::make_user_namespace_by(slot, {.inside = slot, .outside = slot, .count = IdBlocks::kSlotSize});
  if (!space) {
    blocks_.give_back_slot(slot);
    return std::unexpected(base::with_context("nursery", std::move(space).error()));
  }
  return &nurseries_.emplace(root, Nursery{slot, *std::move(space)}).first->second;
}

const Nursery* Nurseries::find(const std::string& root) const {
  const auto found = nurseries_.find(root);
  return found == nurseries_.end() ? nullptr : &found->second;
}

void Nurseries::retire(const std::string& root) {
  const auto found = nurseries_.find(root);
  if (found == nurseries_.end()) return;
  blocks_.give_back_slot(found->second.slot);
  nurseries_.erase(found);
}

std::vector<std::string> Nurseries::retire_idle(const std::set<std::string>& roots_in_use) {
  std::vector<std::string> idle;
  for (const auto& [root, nursery] : nurseries_) {
    if (!roots_in_use.contains(root)) idle.push_back(root);
  }
  for (const std::string& root : idle) retire(root);
  return idle;
}

}  // namespace spawner
