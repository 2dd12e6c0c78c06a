#include "cli/stay.h"

namespace cli {

Result<Stay> Stay::begin(const Globals& globals, const engine::SandboxOptions& options) {
  ASSIGN_OR_RETURN(auto spawner, connect_spawner(globals));
  const auto start = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(auto sandbox, engine::Sandbox::create(spawner, options));
  Stay stay(globals, std::move(spawner), std::move(sandbox));
  stay.create_time_ =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  return stay;
}

Result<wire::spawner::EndedAs> Stay::destroy() {
  auto ended_as = sandbox_.destroy(spawner_);
  if (ended_as) return ended_as;
  // A spawner that was replaced meanwhile is found again; the sandbox did not notice.
  ASSIGN_OR_RETURN(spawner_, connect_spawner(*globals_));
  return sandbox_.destroy(spawner_);
}

Result<> Stay::end() {
  RETURN_IF_ERROR(destroy());
  return {};
}

Result<engine::Outcome> Stay::end_with(Result<engine::Outcome> outcome) {
  ASSIGN_OR_RETURN(const auto ended_as, destroy());
  if (!outcome) return outcome;
  return engine::explained(*outcome, ended_as);
}

}  // namespace cli
