#pragma once

#include <cstdint>

#include "jail/builder.h"
#include "jail/plan.h"

// Weakening a sandbox on purpose: a test proves that an attack works where just one mechanism is missing,
// before it proves that the attack fails where none is. Here is only how that is asked for. What a weakness
// does lies in tests/control and is no part of the product, whose spawner holds no ControlAuthority and
// refuses every such request.
namespace jail {

enum class Weakness : std::uint32_t {
  kNoSeccomp = 1U << 0,  // no filter that filters anything
  kFullCapabilities =
      1U << 1,              // the user's processes keep every capability over the sandbox's user namespace
  kUnmaskedProc = 1U << 2,  // nothing hidden, nothing read-only, processes of others visible
  kSharedPid = 1U << 3,     // the spawner's own namespaces, which the test made for this
  kSharedIpc = 1U << 4,
  kSharedUts = 1U << 5,
  kSharedNetwork = 1U << 6,
  kOwnNetwork = 1U << 7,        // the network namespace belongs to the sandbox's user namespace
  kOldRootStays = 1U << 8,      // reachable at /oldroot
  kNoUserLimits = 1U << 9,      // nested namespaces and rlimits as far as the host goes
  kLeakedDirectory = 1U << 10,  // init's working directory is the spawner's root
  kReadableInit = 1U << 11,     // init runs under the user's id and from a file that everybody may open
  kRealSys = 1U << 12,          // the kernel's sysfs
  kMoreDevices = 1U << 13,      // device nodes beyond the six
  kWholeIdRange = 1U << 14,     // mapped over the spawner's own ids: inside root is the spawner's root
  kSetid = 1U << 15,            // no no-new-privileges, and set-id files count
  kLinksFollowed = 1U << 16,  // mount points are not ours, and files are written through the template's links
  kNoRlimits = 1U << 17,      // those of the host's root
  kDeafInit = 1U << 18,       // init does not hear of the kernel's out-of-memory killings
  kNoOomFloor = 1U << 19,     // processes may become as unlikely victims of those as the host's own
  kLooseMounts = 1U << 20,    // device nodes count on /, programs run from /dev/shm
};

constexpr bool has(std::uint32_t weaknesses, Weakness one) {
  return (weaknesses & static_cast<std::uint32_t>(one)) != 0;
}

// Where a spawner that weakens differs from one that does not. Bits are those of Weakness, 0 for none.
class ControlAuthority {
 public:
  virtual ~ControlAuthority() = default;
  virtual void weaken(Spec& spec, std::uint32_t weaknesses) const = 0;
  virtual void weaken(Plan& plan, std::uint32_t weaknesses) const = 0;
  virtual const Materials* materials_for(std::uint32_t weaknesses, const Materials& usual) const = 0;
  virtual StepHook* hook_for(std::uint32_t weaknesses) const = 0;
};

}  // namespace jail
