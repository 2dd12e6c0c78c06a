#include "auth/principal.h"

#include <algorithm>

namespace auth {

namespace {

using store::Scope;

struct Right {
  Action action;
  bool read_only;
  bool team;
  bool admin;
};

// Rows are what a request is about, columns what the key is for.
constexpr Right kRights[] = {
    {Action::kRead, true, true, true},
    {Action::kUse, false, true, true},
    {Action::kManage, false, true, true},
    {Action::kAdminister, false, false, true},
};

}  // namespace

bool may(const Principal& principal, Action action) {
  const auto* row = std::find_if(std::begin(kRights), std::end(kRights),
                                 [&](const Right& right) { return right.action == action; });
  if (row == std::end(kRights)) return false;
  switch (principal.scope) {
    case Scope::kAdmin:
      return row->admin;
    case Scope::kTeam:
      return row->team;
    case Scope::kReadOnly:
      return row->read_only;
  }
  return false;
}

bool sees(const Principal& principal, const store::TeamId& team) {
  return principal.scope == Scope::kAdmin || principal.team == team;
}

bool may_grant(const Principal& principal, Scope scope) {
  return may(principal, Action::kManage) && (scope != Scope::kAdmin || may(principal, Action::kAdminister));
}

bool may_in_project(const Principal& principal, Action action, std::optional<store::Role> role) {
  if (!may(principal, action)) return false;
  if (principal.scope == Scope::kAdmin || !principal.user) return true;
  if (!role) return false;
  return *role == store::Role::kEdit || action == Action::kRead || action == Action::kUse;
}

}  // namespace auth
