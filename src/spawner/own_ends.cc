#include "spawner/own_ends.h"

#include <algorithm>

namespace spawner {

void OwnEnds::remember(const base::SandboxId& id, EndedAs end) {
  // Its ending may have to be begun again.
  std::erase_if(ends_, [&](const OwnEnd& known) { return known.id == id; });
  ends_.push_front({id, end});
  if (ends_.size() > kMost) ends_.pop_back();
}

std::optional<EndedAs> OwnEnds::find(const base::SandboxId& id) const {
  const auto found = std::ranges::find(ends_, id, &OwnEnd::id);
  if (found == ends_.end()) return std::nullopt;
  return found->as;
}

}  // namespace spawner
