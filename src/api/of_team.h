#pragma once

#include <functional>

#include "api/call.h"
#include "api/fields.h"

namespace api {

// The team that a request is about: the one that it names, if the caller sees that, else the caller's own.
// not_found for a team that the caller does not see.
Result<store::TeamId> named_team(const Call& call, const std::optional<std::string>& id);

// Looks in the caller's own team and then, for whoever sees all teams, in every other: the first answer that
// is not kNotFound. Blocks.
template <class T>
Result<T> in_any_team(Services& services, const auth::Principal& caller,
                      const std::function<Result<T>(const store::TeamId&)>& look) {
  auto found = look(caller.team);
  if (found || found.error().code != base::Code::kNotFound || caller.scope != store::Scope::kAdmin)
    return found;
  store::PageRequest request{.limit = store::kMaxPage, .cursor = std::nullopt};
  while (true) {
    ASSIGN_OR_RETURN(const auto page, services.store.teams().list(request));
    for (const store::Team& team : page.items) {
      auto there = look(team.id);
      if (there || there.error().code != base::Code::kNotFound) return there;
    }
    if (!page.next) return found;
    request.cursor = page.next;
  }
}

}  // namespace api
