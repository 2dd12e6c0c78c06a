#pragma once

#include <cstdint>

#include "jail/builder.h"
#include "jail/plan.h"

// Weakening a sandbox on purpose: a test proves that an attack works where just one mechanism is missing,
// before it proves that the attack fails where none is. Whoever wants this includes this header and holds a
// ControlAuthority; the product's spawner holds none and refuses every such request.
namespace jail {

enum class Weakness : std::uint32_t {
  kNoSeccomp = 1U << 0,  // neither gate nor allowlist
  kFullCapabilities =
      1U << 1,              // the user's processes keep every capability over the sandbox's user namespace
  kUnmaskedProc = 1U << 2,  // nothing hidden, nothing read-only, processes of others visible
  kSharedPid = 1U << 3,     // the spawner's own namespaces, which the test made for this
  kSharedIpc = 1U << 4,
  kSharedUts = 1U << 5,
  kSharedNetwork = 1U << 6,
  kOwnNetwork = 1U << 7,         // the network namespace belongs to the sandbox's user namespace
  kOldRootStays = 1U << 8,       // reachable at /oldroot
  kNoUserLimits = 1U << 9,       // nested namespaces possible as far as the kernel goes
  kLeakedDescriptor = 1U << 10,  // the spawner's root directory open in every process
  kReadableInit = 1U << 11,      // init runs from a readable file and under the user's id
  kNoLeafKill = 1U << 12,        // a timeout kills the started process only
  kRealSys = 1U << 13,           // the kernel's sysfs
  kMoreDevices = 1U << 14,       // device nodes beyond the six
  kWholeIdRange = 1U << 15,      // mapped over the spawner's own ids: inside root is the spawner's root
  kSetid = 1U << 16,             // no no-new-privileges, and set-id files count
  kLinksFollowed = 1U << 17,     // mount points are resolved through links of the template
};

class ControlAuthority {
 public:
  ControlAuthority(StepHook* step_hook, const Materials& unfiltered)
      : hook(step_hook), unfiltered_(unfiltered) {}

  const Materials* materials_for(std::uint32_t weaknesses, const Materials& usual) const {
    return (weaknesses & static_cast<std::uint32_t>(Weakness::kNoSeccomp)) != 0 ? &unfiltered_ : &usual;
  }

  StepHook* const hook;

 private:
  const Materials& unfiltered_;  // the same init, under filters that allow everything
};

// Edits the plan. Only what the bits say.
void weaken(Plan& plan, std::uint32_t weaknesses);

}  // namespace jail
