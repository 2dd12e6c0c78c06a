#include "jail/control.h"

#include <sched.h>

namespace jail {

namespace {
constexpr sys::CapMask kEvery = ~sys::CapMask{0};

void keep_capabilities(Plan& plan) {
  plan.bounding = kEvery;
  plan.init_capabilities = kEvery;
  plan.process.user_capabilities = kEvery;
  plan.process.root_capabilities = kEvery;
  plan.securebits = 0;
}

void unmask_proc(Plan& plan) {
  plan.hidden_in_proc.clear();
  plan.read_only_in_proc.clear();
  plan.replaced_in_proc.clear();
  plan.hide_processes = "off";
}
}  // namespace

void weaken(Plan& plan, std::uint32_t weaknesses) {
  const auto has = [&](Weakness w) { return (weaknesses & static_cast<std::uint32_t>(w)) != 0; };
  if (has(Weakness::kFullCapabilities)) keep_capabilities(plan);
  if (has(Weakness::kUnmaskedProc)) unmask_proc(plan);
  if (has(Weakness::kSharedIpc)) plan.namespaces &= ~static_cast<std::uint64_t>(CLONE_NEWIPC);
  if (has(Weakness::kSharedUts)) plan.namespaces &= ~static_cast<std::uint64_t>(CLONE_NEWUTS);
  if (has(Weakness::kNoUserLimits)) plan.user_limits.clear();
}

}  // namespace jail
