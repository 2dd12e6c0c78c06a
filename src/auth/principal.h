#pragma once

#include <optional>

#include "store/records.h"

namespace auth {

// Who calls: a key, of a team, of a user or of nobody in particular.
struct Principal {
  store::TeamId team;
  std::optional<store::UserId> user;
  store::KeyId key;
  store::Scope scope;
};

// What a request is about; one row of a table each (principal.cc).
enum class Action {
  kRead,        // look at things of a team
  kUse,         // make, change, run and end sandboxes of a team
  kManage,      // users, projects and keys of a team
  kAdminister,  // teams, and the host: metrics, layers in force
};

// Whether the scope allows this at all (else 403).
bool may(const Principal& principal, Action action);
// Whether things of this team exist for the principal (else 404).
bool sees(const Principal& principal, const store::TeamId& team);
// Whether the principal may make a key of this scope: nobody gives more than they have.
bool may_grant(const Principal& principal, store::Scope scope);
// In a project, besides may(): a key of a user needs that user's membership. Role run reads and uses, edit
// also manages. Keys without a user, and admin keys, need none.
bool may_in_project(const Principal& principal, Action action, std::optional<store::Role> role);

}  // namespace auth
