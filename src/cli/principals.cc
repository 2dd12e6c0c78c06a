#include "cli/principals.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "store/directory.h"

namespace cli {

namespace {

Result<> run_on_store(const Globals& globals, PrincipalAction action, const PrincipalArguments& args) {
  if (::geteuid() != 0) {
    return base::fail(base::Code::kDenied, "this needs root: it works on the database of " + globals.state +
                                               ", without a key. Run it with sudo, or as root.");
  }
  RETURN_IF_ERROR(store::become_owner_of_directory(globals.state));
  ASSIGN_OR_RETURN(const auto store, store::Store::open(store::database_of(globals.state), time_now()));
  return action(*store, args);
}

// Characters, not bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

base::Error with_advice(base::Error error, const std::string& advice) {
  if (error.code == base::Code::kNotFound) error.message += advice;
  return error;
}

}  // namespace

CLI::App* PrincipalCommands::group(const std::string& name, const std::string& meaning,
                                   const std::string& example) {
  auto* sub = app_.add_subcommand(name, meaning);
  sub->require_subcommand(1);
  sub->fallthrough();
  sub->footer("As root, on the database of the state directory, whether a server runs or not.\nExample: " +
              example);
  return sub;
}

CLI::App* PrincipalCommands::command(CLI::App* group, const std::string& name, const std::string& meaning,
                                     PrincipalAction action) {
  auto* sub = group->add_subcommand(name, meaning);
  // `cove key create --state DIR`: what is an option of `cove` may stand behind, too.
  sub->fallthrough();
  sub->add_flag("--json", arguments_->json, "As JSON");
  sub->callback([args = arguments_, action, globals = &globals_, chosen = &chosen_] {
    chosen->action = [args, action, globals] {
      const auto done = run_on_store(*globals, action, *args);
      return done ? 0 : report_failure(done.error());
    };
  });
  return sub;
}

void PrincipalCommands::take_name(CLI::App* command, const std::string& label, const std::string& meaning) {
  command->add_option(label, arguments_->name, meaning)->required();
}

void PrincipalCommands::take_team(CLI::App* command) {
  command->add_option("--team", arguments_->team, "Of which team (default)");
}

store::Time time_now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

Result<store::Team> find_team(store::Store& store, const std::string& name) {
  auto team = store.teams().find(name);
  if (team) return team;
  return std::unexpected(with_advice(std::move(team).error(), "; cove team list shows all"));
}

Result<store::Team> team_of(store::Store& store, const PrincipalArguments& args) {
  return find_team(store, args.team.value_or(std::string(store::kDefaultTeam)));
}

Result<store::User> user_of(store::Store& store, const store::Team& team, const std::string& name) {
  auto user = store.users().find(team.id, name);
  if (user) return user;
  const auto advice = fmt::format(" in the team '{0}'; cove user list --team '{0}' shows all", team.name);
  return std::unexpected(with_advice(std::move(user).error(), advice));
}

boost::json::value json_of(const std::optional<store::Time>& time) {
  return time ? boost::json::value(store::rfc3339(*time)) : boost::json::value(nullptr);
}

boost::json::object json_of(const store::Team& team) {
  return {{"id", team.id.text()}, {"name", team.name}, {"created_at", store::rfc3339(team.created)}};
}

boost::json::object json_of(const store::User& user) {
  return {{"id", user.id.text()},
          {"name", user.name},
          {"team", user.team.text()},
          {"created_at", store::rfc3339(user.created)}};
}

boost::json::object json_of(const store::Project& project) {
  return {{"id", project.id.text()},
          {"name", project.name},
          {"team", project.team.text()},
          {"created_at", store::rfc3339(project.created)}};
}

void print_json(const boost::json::value& value) { fmt::print("{}\n", boost::json::serialize(value)); }

void print_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    fmt::print("{}\n", line);
  }
}

void print_removed(const PrincipalArguments& args, const std::string& what, const std::string& id) {
  if (args.json) return print_json(boost::json::object{{"id", id}, {"deleted", true}});
  fmt::print("deleted {}\n", what);
}

std::string shown_time(const std::optional<store::Time>& time, const std::string& otherwise) {
  if (!time) return otherwise;
  auto text = store::rfc3339(*time).substr(0, 16);
  text[10] = ' ';
  return text;
}

}  // namespace cli
