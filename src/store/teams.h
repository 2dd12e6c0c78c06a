#pragma once

#include "store/records.h"

namespace store {

class Database;

// Teams, and what they have of people: users, projects, members. kConflict for a name that is taken,
// kNotFound for what is not there (or is another team's), kInvalid for a name that cannot be one.
class Teams {
 public:
  explicit Teams(Database& database) : database_(database) {}

  Result<Team> create(std::string_view name, Time now);
  Result<Team> get(const TeamId& id) const;
  // By name or id: what people type.
  Result<Team> find(std::string_view name_or_id) const;
  Result<Page<Team>> list(const PageRequest& page) const;
  // With its users, projects, keys and the records of ended sandboxes. kConflict while a sandbox of it lives,
  // and for the default team.
  Result<> remove(const TeamId& id);

 private:
  Database& database_;
};

class Users {
 public:
  explicit Users(Database& database) : database_(database) {}

  Result<User> create(const TeamId& team, std::string_view name, Time now);
  Result<User> get(const TeamId& team, const UserId& id) const;
  Result<User> find(const TeamId& team, std::string_view name_or_id) const;
  Result<Page<User>> list(const TeamId& team, const PageRequest& page) const;
  // With its keys, which end at once. Sandboxes stay: they are the team's.
  Result<> remove(const TeamId& team, const UserId& id);

 private:
  Database& database_;
};

class Projects {
 public:
  explicit Projects(Database& database) : database_(database) {}

  Result<Project> create(const TeamId& team, std::string_view name, Time now);
  Result<Project> get(const TeamId& team, const ProjectId& id) const;
  Result<Project> find(const TeamId& team, std::string_view name_or_id) const;
  Result<Page<Project>> list(const TeamId& team, const PageRequest& page) const;
  // kConflict while a sandbox of it lives.
  Result<> remove(const TeamId& team, const ProjectId& id);

  // A member who is one already gets the new role. kNotFound when the user is not of the project's team.
  Result<> put_member(const Project& project, const UserId& user, Role role, Time now);
  Result<> remove_member(const Project& project, const UserId& user);
  // At most kMaxPage, by name.
  Result<std::vector<Member>> members(const Project& project) const;
  // Nothing when the user is not a member.
  Result<std::optional<Role>> role(const ProjectId& project, const UserId& user) const;

 private:
  Database& database_;
};

}  // namespace store
