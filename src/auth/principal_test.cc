#include "auth/principal.h"

#include <gtest/gtest.h>

namespace auth {
namespace {

using store::Role;
using store::Scope;

constexpr Action kActions[] = {Action::kRead, Action::kUse, Action::kManage, Action::kAdminister};

Principal with(Scope scope, std::optional<store::UserId> user = std::nullopt) {
  return {.team = store::TeamId::random(),
          .user = std::move(user),
          .key = store::KeyId::random(),
          .scope = scope};
}

std::string allowed(const Principal& principal) {
  std::string text;
  for (const auto action : kActions) text += may(principal, action) ? 'y' : '-';
  return text;
}

TEST(Principal, MayWhatItsScopeSays) {
  EXPECT_EQ(allowed(with(Scope::kAdmin)), "yyyy");
  EXPECT_EQ(allowed(with(Scope::kTeam)), "yyy-");
  EXPECT_EQ(allowed(with(Scope::kReadOnly)), "y---");
}

TEST(Principal, SeesItsTeamAndAnAdminEveryTeam) {
  for (const auto scope : {Scope::kAdmin, Scope::kTeam, Scope::kReadOnly}) {
    const auto principal = with(scope);
    EXPECT_TRUE(sees(principal, principal.team));
    EXPECT_EQ(sees(principal, store::TeamId::random()), scope == Scope::kAdmin);
  }
}

TEST(Principal, GivesNoMoreThanItHas) {
  EXPECT_TRUE(may_grant(with(Scope::kAdmin), Scope::kAdmin));
  EXPECT_FALSE(may_grant(with(Scope::kTeam), Scope::kAdmin));
  EXPECT_TRUE(may_grant(with(Scope::kTeam), Scope::kTeam));
  EXPECT_TRUE(may_grant(with(Scope::kTeam), Scope::kReadOnly));
  EXPECT_FALSE(may_grant(with(Scope::kReadOnly), Scope::kReadOnly));
}

TEST(Principal, OfAUserNeedsMembershipInAProject) {
  const auto user = store::UserId::random();
  EXPECT_FALSE(may_in_project(with(Scope::kTeam, user), Action::kRead, std::nullopt));
  EXPECT_TRUE(may_in_project(with(Scope::kTeam, user), Action::kUse, Role::kRun));
  EXPECT_FALSE(may_in_project(with(Scope::kTeam, user), Action::kManage, Role::kRun));
  EXPECT_TRUE(may_in_project(with(Scope::kTeam, user), Action::kManage, Role::kEdit));
  EXPECT_FALSE(may_in_project(with(Scope::kReadOnly, user), Action::kUse, Role::kEdit));
  EXPECT_TRUE(may_in_project(with(Scope::kTeam), Action::kManage, std::nullopt));
  EXPECT_TRUE(may_in_project(with(Scope::kAdmin, user), Action::kManage, std::nullopt));
}

}  // namespace
}  // namespace auth
