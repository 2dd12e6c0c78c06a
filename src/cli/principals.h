#pragma once

#include <fmt/format.h>

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "store/store.h"

namespace cli {

// What commands on keys, teams, users and projects are given; each uses some of it.
struct PrincipalArguments {
  std::string name;
  std::optional<std::string> team;  // absent: the default team, or all
  std::string user;
  std::string scope = "team";
  std::string role = "run";
  std::string expires;
  bool json = false;
};

using PrincipalAction = Result<> (*)(store::Store&, const PrincipalArguments&);

// Adds commands that work on the database of the state directory: as root, without a key and without a
// server, and also while one runs.
class PrincipalCommands {
 public:
  PrincipalCommands(CLI::App& app, const Globals& globals, Chosen& chosen)
      : app_(app), globals_(globals), chosen_(chosen) {}

  // A command that has others below it.
  CLI::App* group(const std::string& name, const std::string& meaning, const std::string& example);
  // One of those; `--json` and the options of `cove` itself come by themselves.
  CLI::App* command(CLI::App* group, const std::string& name, const std::string& meaning,
                    PrincipalAction action);
  PrincipalArguments& arguments() { return *arguments_; }
  void take_name(CLI::App* command, const std::string& label, const std::string& meaning);
  void take_team(CLI::App* command);

 private:
  CLI::App& app_;
  const Globals& globals_;
  Chosen& chosen_;
  std::shared_ptr<PrincipalArguments> arguments_ = std::make_shared<PrincipalArguments>();
};

store::Time time_now();
// Found by name or id, or an error that says how to see which there are.
Result<store::Team> find_team(store::Store& store, const std::string& name);
Result<store::Team> team_of(store::Store& store, const PrincipalArguments& args);
Result<store::User> user_of(store::Store& store, const store::Team& team, const std::string& name);

boost::json::object json_of(const store::Team& team);
boost::json::object json_of(const store::User& user);
boost::json::object json_of(const store::Project& project);
boost::json::value json_of(const std::optional<store::Time>& time);

// One line of JSON.
void print_json(const boost::json::value& value);
// Columns as wide as they need; the first row is the heading.
void print_table(const std::vector<std::vector<std::string>>& rows);
// As JSON that it is gone, or in a sentence.
void print_removed(const PrincipalArguments& args, const std::string& what, const std::string& id);
// For people, to the minute.
std::string shown_time(const std::optional<store::Time>& time, const std::string& otherwise);

// Teams, users, projects: what there are, and what was made.
template <class T>
void print_list(const std::vector<T>& items, const PrincipalArguments& args, const std::string& if_none) {
  if (args.json) {
    boost::json::array all;
    for (const auto& item : items) all.push_back(json_of(item));
    return print_json(all);
  }
  if (items.empty()) return fmt::print("{}\n", if_none);
  std::vector<std::vector<std::string>> rows{{"ID", "CREATED", "NAME"}};
  for (const auto& item : items) rows.push_back({item.id.text(), shown_time(item.created, ""), item.name});
  print_table(rows);
}

template <class T>
void print_made(const T& item, const PrincipalArguments& args, std::string_view what) {
  if (args.json) return print_json(json_of(item));
  fmt::print("made {} '{}', id {}\n", what, item.name, item.id.text());
}

// Every page of a list: `read(page)`.
template <class Read>
auto all_pages(Read read) -> Result<decltype(read(store::PageRequest())->items)> {
  decltype(read(store::PageRequest())->items) all;
  store::PageRequest request{.limit = store::kMaxPage, .cursor = std::nullopt};
  for (;;) {
    ASSIGN_OR_RETURN(auto page, read(request));
    for (auto& item : page.items) all.push_back(std::move(item));
    if (!page.next) return all;
    request.cursor = page.next;
  }
}

}  // namespace cli
