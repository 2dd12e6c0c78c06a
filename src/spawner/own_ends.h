#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "base/ids.h"
#include "wire/spawner_messages.h"

namespace spawner {

using wire::spawner::EndedAs;

// The last sandboxes that ended by themselves, and why: whoever had one asks when it is gone already.
class OwnEnds {
 public:
  static constexpr std::size_t kMost = 256;

  void remember(const base::SandboxId& id, EndedAs end);
  std::optional<EndedAs> find(const base::SandboxId& id) const;

 private:
  struct OwnEnd {
    base::SandboxId id;
    EndedAs as;
  };
  std::deque<OwnEnd> ends_;  // the latest first
};

}  // namespace spawner
