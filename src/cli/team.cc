#include <fmt/format.h>

#include "cli/principals.h"

namespace cli {

namespace {

Result<> create_team(store::Store& store, const PrincipalArguments& args) {
  ASSIGN_OR_RETURN(const auto team, store.teams().create(args.name, time_now()));
  print_made(team, args, "team");
  return {};
}

Result<> list_teams(store::Store& store, const PrincipalArguments& args) {
  ASSIGN_OR_RETURN(const auto teams, all_pages([&](const auto& page) { return store.teams().list(page); }));
  print_list(teams, args, "no teams; make one with: cove team create NAME");
  return {};
}

Result<> delete_team(store::Store& store, const PrincipalArguments& args) {
  ASSIGN_OR_RETURN(const auto team, find_team(store, args.name));
  RETURN_IF_ERROR(store.teams().remove(team.id));
  print_removed(args, fmt::format("team '{}' with its users, projects and keys", team.name), team.id.text());
  return {};
}

}  // namespace

void add_team(CLI::App& app, const Globals& globals, Chosen& chosen) {
  PrincipalCommands commands(app, globals, chosen);
  auto* group = commands.group("team", "Make, list and delete teams", "cove team create research");
  auto* create = commands.command(group, "create", "Make a team", create_team);
  commands.take_name(create, "NAME", "What to call it");
  create->footer("Example: cove team create research && cove key create --team research");
  auto* list = commands.command(group, "list", "All teams, newest first", list_teams);
  list->footer("Example: cove team list --json");
  auto* remove = commands.command(group, "delete", "Delete a team that has no sandboxes", delete_team);
  commands.take_name(remove, "TEAM", "Name or id");
  remove->footer("Its users, projects and keys go with it, at once.\nExample: cove team delete research");
}

}  // namespace cli
