#include "spawner/ready.h"

#include <algorithm>
#include <iterator>

namespace spawner {

using wire::spawner::Create;

bool ReadySandboxes::is_for(const Create& request) const {
  return std::ranges::equal(wire::spawner::packet_of(shape_), wire::spawner::packet_of(request));
}

std::vector<Ready> ReadySandboxes::notice(const Create& request) {
  if (is_for(request)) {
    // A host directory is opened for one sandbox, when it is asked for; a build is one of its kind.
    wanted_ = request.workspace_access == wire::spawner::Access::kNone &&
              request.root_kind == wire::spawner::RootKind::kTemplate;
    return {};
  }
  auto given_up = give_up();
  shape_ = request;
  return given_up;
}

std::optional<Ready> ReadySandboxes::take(const Create& request) {
  if (ready_.empty() || !is_for(request)) return std::nullopt;
  Ready ready = std::move(ready_.front());
  ready_.pop_front();
  return ready;
}

std::vector<Ready> ReadySandboxes::give_up() {
  wanted_ = false;
  shape_ = {};
  std::vector<Ready> given_up(std::make_move_iterator(ready_.begin()), std::make_move_iterator(ready_.end()));
  ready_.clear();
  return given_up;
}

}  // namespace spawner
