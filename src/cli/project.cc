#include <fmt/format.h>

#include "cli/principals.h"

namespace cli {

namespace {

Result<store::Project> project_of(store::Store& store, const store::Team& team, const std::string& name) {
  auto project = store.projects().find(team.id, name);
  if (!project && project.error().code == base::Code::kNotFound) {
    project.error().message +=
        fmt::format(" in the team '{0}'; cove project list --team '{0}' shows all", team.name);
  }
  return project;
}

Result<> create_project(store::Store& store, const PrincipalArguments& args) {
  ASSIGN_OR_RETURN(const auto team, team_of(store, args));
  ASSIGN_OR_RETURN(const auto project, store.projects().create(team.id, args.name, time_now()));
  print_made(project, args, "project");
  return {};
}

Result<> list_projects(store::Store& store, const PrincipalArguments& args) {
  ASSIGN_OR_RETURN(const auto team, team_of(store, args));
  ASSIGN_OR_RETURN(const auto projects,
                   all_pages([&](const auto& page) { return store.projects().list(team.id, page); }));
  print_list(projects, args,
             fmt::format("no projects in the team '{}'; make one with: cove project create NAME", team.name));
  return {};
}

Result<> delete_project(store::Store& store, const PrincipalArguments& args) {
  ASSIGN_OR_RETURN(const auto team, team_of(store, args));
  ASSIGN_OR_RETURN(const auto project, project_of(store, team, args.name));
  RETURN_IF_ERROR(store.projects().remove(team.id, project.id));
  print_removed(args, fmt::format("project '{}'", project.name), project.id.text());
  return {};
}

Result<> list_members(store::Store& store, const PrincipalArguments& args) {
  ASSIGN_OR_RETURN(const auto team, team_of(store, args));
  ASSIGN_OR_RETURN(const auto project, project_of(store, team, args.name));
  ASSIGN_OR_RETURN(const auto members, store.projects().members(project));
  boost::json::array all;
  std::vector<std::vector<std::string>> rows{{"USER", "ROLE", "SINCE", "NAME"}};
  for (const auto& member : members) {
    const std::string role(store::name_of(member.role));
    all.push_back({{"user", member.user.text()}, {"name", member.name}, {"role", role}});
    rows.push_back({member.user.text(), role, shown_time(member.added, ""), member.name});
  }
  if (args.json) {
    print_json(all);
  } else {
    print_table(rows);
  }
  return {};
}

Result<> add_member(store::Store& store, const PrincipalArguments& args) {
  ASSIGN_OR_RETURN(const auto role, store::parse_role(args.role));
  ASSIGN_OR_RETURN(const auto team, team_of(store, args));
  ASSIGN_OR_RETURN(const auto project, project_of(store, team, args.name));
  ASSIGN_OR_RETURN(const auto user, user_of(store, team, args.user));
  RETURN_IF_ERROR(store.projects().put_member(project, user.id, role, time_now()));
  if (args.json) {
    print_json({{"user", user.id.text()}, {"name", user.name}, {"role", store::name_of(role)}});
  } else {
    fmt::print("'{}' may {} in the project '{}'\n", user.name, store::name_of(role), project.name);
  }
  return {};
}

Result<> remove_member(store::Store& store, const PrincipalArguments& args) {
  ASSIGN_OR_RETURN(const auto team, team_of(store, args));
  ASSIGN_OR_RETURN(const auto project, project_of(store, team, args.name));
  ASSIGN_OR_RETURN(const auto user, user_of(store, team, args.user));
  RETURN_IF_ERROR(store.projects().remove_member(project, user.id));
  print_removed(args, fmt::format("member '{}' of the project '{}'", user.name, project.name),
                user.id.text());
  return {};
}

}  // namespace

void add_project(CLI::App& app, const Globals& globals, Chosen& chosen) {
  PrincipalCommands commands(app, globals, chosen);
  auto& args = commands.arguments();
  auto* group = commands.group("project", "Make, list and delete projects of a team, and say who is in them",
                               "cove project create paper --team research");
  const auto add = [&](const std::string& name, const std::string& meaning, PrincipalAction action,
                       const std::string& label) {
    auto* sub = commands.command(group, name, meaning, action);
    if (!label.empty()) commands.take_name(sub, label, label == "NAME" ? "What to call it" : "Name or id");
    commands.take_team(sub);
    return sub;
  };
  add("create", "Make a project", create_project, "NAME")
      ->footer("Example: cove project create paper --team research");
  add("list", "Projects of a team, newest first", list_projects, "")
      ->footer("Example: cove project list --team research");
  add("delete", "Delete a project that has no sandboxes", delete_project, "PROJECT")
      ->footer("Example: cove project delete paper --team research");
  add("members", "Who is in a project", list_members, "PROJECT")
      ->footer("Example: cove project members paper --team research");
  auto* put = add("add-member", "Add a user of the team, or change their role", add_member, "PROJECT");
  put->add_option("USER", args.user, "Name or id")->required();
  put->add_option("--role", args.role, "run: use what is there; edit: also change it")->capture_default_str();
  put->footer("Example: cove project add-member paper ada --role edit --team research");
  auto* take = add("remove-member", "Take a user out of a project", remove_member, "PROJECT");
  take->add_option("USER", args.user, "Name or id")->required();
  take->footer("Example: cove project remove-member paper ada --team research");
}

}  // namespace cli
