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

Result<wire::spawner::EndedAs> Stay::end() {
  auto ended_as = sandbox_.destroy(spawner_);
  if (ended_as) return ended_as;
  // A spawner that was replaced meanwhile is found again; the sandbox did not notice.
  ASSIGN_OR_RETURN(spawner_, connect_spawner(*globals_));
  return sandbox_.destroy(spawner_);
}

}  // namespace cli
