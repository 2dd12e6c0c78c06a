#pragma once

#include <cstdint>

#include "store/records.h"

namespace store {

class Database;

struct Label {
  std::string key;
  std::string value;
};

// What a list is narrowed to; absent parts narrow nothing.
struct SandboxFilter {
  std::optional<TeamId> team;  // absent: every team
  std::optional<SandboxState> state;
  std::optional<std::string> tier;
  std::optional<std::string> template_name;  // or digest
  std::optional<std::string> owner;          // id of a user or key
  std::optional<ProjectId> project;
  std::vector<Label> labels;  // all of them; at most 16
  std::optional<Time> created_after;
  std::optional<Time> created_before;
};

struct SandboxChange {
  std::optional<Time> expires;
  std::optional<std::chrono::milliseconds> idle_timeout;
  std::optional<std::string> labels;  // a JSON object, whole
  std::optional<std::string> name;
};

// Records of sandboxes. The order of writes is the engine's promise: insert (creating) before anything is
// made, running when it is there, ended when nothing of it is left; at start, live() is what has to be
// compared with the machine.
class Sandboxes {
 public:
  explicit Sandboxes(Database& database) : database_(database) {}

  Result<> insert(const SandboxRow& row);
  Result<> set_running(const SandboxId& id);
  // The first end stays: ending what has ended changes nothing.
  Result<> set_ended(const SandboxId& id, std::string_view cause, Time now);
  // Of one that has not ended; kConflict when it has, kNotFound when there is none in the team.
  Result<SandboxRow> change(const TeamId& team, const SandboxId& id, const SandboxChange& change);
  // As if it had never been: for a create that came to nothing.
  Result<> erase(const SandboxId& id);

  // kNotFound when it is another team's; nothing as `team` means any.
  Result<SandboxRow> get(const std::optional<TeamId>& team, const SandboxId& id) const;
  Result<Page<SandboxRow>> list(const SandboxFilter& filter, const PageRequest& page) const;
  // Everything that has not ended, oldest first.
  Result<std::vector<SandboxRow>> live() const;
  // Forgets what ended before this; the number of rows that went.
  Result<std::int64_t> erase_ended_before(Time time);

 private:
  Database& database_;
};

}  // namespace store
