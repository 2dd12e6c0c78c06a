#include "store/teams.h"

#include <fmt/format.h>

#include "store/cursor.h"
#include "store/database.h"

namespace store {

namespace {

using base::Code;

Result<Team> read_team(Row row) {
  ASSIGN_OR_RETURN(auto id, row.id<TeamId>(0));
  return Team{.id = std::move(id), .name = row.text(1), .created = row.time(2)};
}

// Users and projects look alike: id, team, name, created.
template <class T>
Result<T> read_named(Row row) {
  ASSIGN_OR_RETURN(auto id, row.id<decltype(T::id)>(0));
  ASSIGN_OR_RETURN(auto team, row.id<TeamId>(1));
  return T{.id = std::move(id), .team = std::move(team), .name = row.text(2), .created = row.time(3)};
}

std::unexpected<base::Error> missing(std::string_view what, std::string_view name) {
  return base::fail(Code::kNotFound, fmt::format("there is no {} '{}'", what, name));
}

// An unknown name is not repeated: it may be anything.
template <class T>
Result<T> found_or_missing(Result<std::optional<T>> found, std::string_view what, std::string_view name) {
  if (!found) return std::unexpected(std::move(found).error());
  if (*found) return std::move(**found);
  if (!check_name(name, what)) return base::fail(Code::kNotFound, fmt::format("there is no such {}", what));
  return missing(what, name);
}

// A taken name, told by its own words.
template <class T>
Result<> name_taken_or(Result<T> done, std::string_view what, std::string_view name) {
  if (done) return {};
  if (done.error().code != Code::kConflict) return std::unexpected(std::move(done).error());
  return base::fail(Code::kConflict, fmt::format("there is already a {} '{}'", what, name));
}

Result<> one_removed(Result<std::int64_t> removed, std::string_view what, std::string_view name) {
  if (!removed) return std::unexpected(std::move(removed).error());
  if (*removed == 0) return missing(what, name);
  return {};
}

}  // namespace

Result<Team> Teams::create(std::string_view name, Time now) {
  RETURN_IF_ERROR(check_name(name, "a team"));
  Team team{.id = TeamId::random(), .name = std::string(name), .created = now};
  RETURN_IF_ERROR(name_taken_or(
      database_.run("INSERT INTO teams (id, name, created) VALUES (?, ?, ?)", team.id, name, now), "team",
      name));
  return team;
}

Result<Team> Teams::get(const TeamId& id) const {
  return found_or_missing(database_.first("SELECT id, name, created FROM teams WHERE id = ?", read_team, id),
                          "team", id.text());
}

Result<Team> Teams::find(std::string_view name_or_id) const {
  // An id goes before a name: nobody takes a team's place by naming theirs after its id.
  return found_or_missing(database_.first("SELECT id, name, created FROM teams WHERE id = ?1 OR name = ?1 "
                                          "ORDER BY id = ?1 DESC",
                                          read_team, name_or_id),
                          "team", name_or_id);
}

Result<Page<Team>> Teams::list(const PageRequest& page) const {
  ASSIGN_OR_RETURN(const auto start, start_of(page));
  ASSIGN_OR_RETURN(auto rows,
                   database_.all("SELECT id, name, created FROM teams WHERE (created, id) < (?, ?) "
                                 "ORDER BY created DESC, id DESC LIMIT ?",
                                 read_team, start.created, start.id, page.limit + 1));
  return page_of(std::move(rows), page.limit);
}

Result<> Teams::remove(const TeamId& id) {
  return database_.atomically([&]() -> Result<> {
    ASSIGN_OR_RETURN(const auto team, get(id));
    if (team.name == kDefaultTeam) {
      return base::fail(Code::kConflict, "the team 'default' stays: commands that name no team mean it");
    }
    ASSIGN_OR_RETURN(const auto live, database_.first(
                                          "SELECT 1 FROM sandboxes WHERE team = ? AND state <> 'ended'",
                                          [](Row row) { return Result<std::int64_t>(row.integer(0)); }, id));
    if (live) {
      return base::fail(Code::kConflict,
                        fmt::format("the team '{}' has sandboxes that live: end them first", team.name));
    }
    return one_removed(database_.run("DELETE FROM teams WHERE id = ?", id), "team", team.name);
  });
}

Result<User> Users::create(const TeamId& team, std::string_view name, Time now) {
  RETURN_IF_ERROR(check_name(name, "a user"));
  User user{.id = UserId::random(), .team = team, .name = std::string(name), .created = now};
  RETURN_IF_ERROR(
      name_taken_or(database_.run("INSERT INTO users (id, team, name, created) VALUES (?, ?, ?, ?)", user.id,
                                  team, name, now),
                    "user", name));
  return user;
}

Result<User> Users::get(const TeamId& team, const UserId& id) const {
  return found_or_missing(
      database_.first("SELECT id, team, name, created FROM users WHERE id = ? AND team = ?", read_named<User>,
                      id, team),
      "user", id.text());
}

Result<User> Users::find(const TeamId& team, std::string_view name_or_id) const {
  return found_or_missing(database_.first("SELECT id, team, name, created FROM users WHERE team = ?1 AND "
                                          "(id = ?2 OR name = ?2) ORDER BY id = ?2 DESC",
                                          read_named<User>, team, name_or_id),
                          "user", name_or_id);
}

Result<Page<User>> Users::list(const TeamId& team, const PageRequest& page) const {
  ASSIGN_OR_RETURN(const auto start, start_of(page));
  ASSIGN_OR_RETURN(auto rows, database_.all("SELECT id, team, name, created FROM users WHERE team = ? AND "
                                            "(created, id) < (?, ?) ORDER BY created DESC, id DESC LIMIT ?",
                                            read_named<User>, team, start.created, start.id, page.limit + 1));
  return page_of(std::move(rows), page.limit);
}

Result<> Users::remove(const TeamId& team, const UserId& id) {
  return one_removed(database_.run("DELETE FROM users WHERE id = ? AND team = ?", id, team), "user",
                     id.text());
}

Result<Project> Projects::create(const TeamId& team, std::string_view name, Time now) {
  RETURN_IF_ERROR(check_name(name, "a project"));
  Project project{.id = ProjectId::random(), .team = team, .name = std::string(name), .created = now};
  RETURN_IF_ERROR(
      name_taken_or(database_.run("INSERT INTO projects (id, team, name, created) VALUES (?, ?, ?, ?)",
                                  project.id, team, name, now),
                    "project", name));
  return project;
}

Result<Project> Projects::get(const TeamId& team, const ProjectId& id) const {
  return found_or_missing(
      database_.first("SELECT id, team, name, created FROM projects WHERE id = ? AND team = ?",
                      read_named<Project>, id, team),
      "project", id.text());
}

Result<Project> Projects::find(const TeamId& team, std::string_view name_or_id) const {
  return found_or_missing(database_.first("SELECT id, team, name, created FROM projects WHERE team = ?1 AND "
                                          "(id = ?2 OR name = ?2) ORDER BY id = ?2 DESC",
                                          read_named<Project>, team, name_or_id),
                          "project", name_or_id);
}

Result<Page<Project>> Projects::list(const TeamId& team, const PageRequest& page) const {
  ASSIGN_OR_RETURN(const auto start, start_of(page));
  ASSIGN_OR_RETURN(auto rows,
                   database_.all("SELECT id, team, name, created FROM projects WHERE team = ? AND "
                                 "(created, id) < (?, ?) ORDER BY created DESC, id DESC LIMIT ?",
                                 read_named<Project>, team, start.created, start.id, page.limit + 1));
  return page_of(std::move(rows), page.limit);
}

Result<> Projects::remove(const TeamId& team, const ProjectId& id) {
  return database_.atomically([&]() -> Result<> {
    ASSIGN_OR_RETURN(const auto project, get(team, id));
    ASSIGN_OR_RETURN(const auto live, database_.first(
                                          "SELECT 1 FROM sandboxes WHERE project = ? AND state <> 'ended'",
                                          [](Row row) { return Result<std::int64_t>(row.integer(0)); }, id));
    if (live) {
      return base::fail(
          Code::kConflict,
          fmt::format("the project '{}' has sandboxes that live: end them first", project.name));
    }
    return one_removed(database_.run("DELETE FROM projects WHERE id = ?", id), "project", project.name);
  });
}

Result<> Projects::put_member(const Project& project, const UserId& user, Role role, Time now) {
  auto done = database_.run(
      "INSERT INTO members (project, user, team, role, added) VALUES (?, ?, ?, ?, ?) "
      "ON CONFLICT (project, user) DO UPDATE SET role = excluded.role",
      project.id, user, project.team, name_of(role), now);
  if (done) return {};
  // Of constraints, only the references to the two can be hurt.
  if (done.error().code == Code::kConflict) return missing("user of the project's team", user.text());
  return std::unexpected(std::move(done).error());
}

Result<> Projects::remove_member(const Project& project, const UserId& user) {
  return one_removed(database_.run("DELETE FROM members WHERE project = ? AND user = ?", project.id, user),
                     "member", user.text());
}

Result<std::vector<Member>> Projects::members(const Project& project) const {
  const auto read = [](Row row) -> Result<Member> {
    ASSIGN_OR_RETURN(auto user, row.id<UserId>(0));
    ASSIGN_OR_RETURN(const auto role, parse_role(row.text(2)));
    return Member{.user = std::move(user), .name = row.text(1), .role = role, .added = row.time(3)};
  };
  return database_.all(
      "SELECT user, name, role, added FROM members JOIN users ON users.id = members.user "
      "WHERE project = ? ORDER BY name LIMIT ?",
      read, project.id, kMaxPage);
}

Result<std::optional<Role>> Projects::role(const ProjectId& project, const UserId& user) const {
  return database_.first(
      "SELECT role FROM members WHERE project = ? AND user = ?",
      [](Row row) { return parse_role(row.text(0)); }, project, user);
}

}  // namespace store
