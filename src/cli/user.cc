#include <fmt/format.h>

#include "cli/principals.h"

namespace cli {

namespace {

Result<> create_user(store::Store& store, const PrincipalArguments& args) {
  ASSIGN_OR_RETURN(const auto team, team_of(store, args));
  ASSIGN_OR_RETURN(const auto user, store.users().create(team.id, args.name, time_now()));
  print_made(user, args, "user");
  return {};
}

Result<> list_users(store::Store& store, const PrincipalArguments& args) {
  ASSIGN_OR_RETURN(const auto team, team_of(store, args));
  ASSIGN_OR_RETURN(const auto users,
                   all_pages([&](const auto& page) { return store.users().list(team.id, page); }));
  print_list(users, args,
             fmt::format("no users in the team '{}'; make one with: cove user create NAME", team.name));
  return {};
}

Result<> delete_user(store::Store& store, const PrincipalArguments& args) {
  ASSIGN_OR_RETURN(const auto team, team_of(store, args));
  ASSIGN_OR_RETURN(const auto user, user_of(store, team, args.name));
  RETURN_IF_ERROR(store.users().remove(team.id, user.id));
  print_removed(args, fmt::format("user '{}' and all keys of theirs", user.name), user.id.text());
  return {};
}

}  // namespace

void add_user(CLI::App& app, const Globals& globals, Chosen& chosen) {
  PrincipalCommands commands(app, globals, chosen);
  auto* group =
      commands.group("user", "Make, list and delete users of a team", "cove user create ada --team research");
  auto* create = commands.command(group, "create", "Make a user", create_user);
  commands.take_name(create, "NAME", "What to call them");
  commands.take_team(create);
  create->footer("Example: cove user create ada --team research");
  auto* list = commands.command(group, "list", "Users of a team, newest first", list_users);
  commands.take_team(list);
  list->footer("Example: cove user list --team research");
  auto* remove = commands.command(group, "delete", "Delete a user; their keys end at once", delete_user);
  commands.take_name(remove, "USER", "Name or id");
  commands.take_team(remove);
  remove->footer(
      "Sandboxes that they made stay: they are the team's.\nExample: cove user delete ada --team research");
}

}  // namespace cli
