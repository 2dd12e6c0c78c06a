#include "api/of_team.h"

#include <fmt/format.h>

namespace api {

Result<store::TeamId> named_team(const Call& call, const std::optional<std::string>& id) {
  if (!id) return call.principal().team;
  ASSIGN_OR_RETURN(auto team, store::TeamId::parse(*id));
  if (auth::sees(call.principal(), team)) return team;
  return base::fail(base::Code::kNotFound, fmt::format("there is no team {}", *id));
}

}  // namespace api
