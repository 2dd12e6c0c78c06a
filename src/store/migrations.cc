#include "store/migrations.h"

#include <fmt/format.h>

#include <iterator>

#include "store/database.h"

namespace store {

namespace {

// "cove": tells our files from those of other programs.
constexpr std::int64_t kApplication = 0x636f7665;

// Times are milliseconds since 1970. What has been released is never edited: a change is a new step at the
// end.
constexpr const char* kSteps[] = {
    // 1: teams and their people, keys, sandboxes, answers
    R"sql(
CREATE TABLE teams (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  team TEXT NOT NULL REFERENCES teams ON DELETE CASCADE,
  name TEXT NOT NULL,
  created INTEGER NOT NULL,
  UNIQUE (team, name),
  UNIQUE (id, team)
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  team TEXT NOT NULL REFERENCES teams ON DELETE CASCADE,
  name TEXT NOT NULL,
  created INTEGER NOT NULL,
  UNIQUE (team, name),
  UNIQUE (id, team)
) STRICT, WITHOUT ROWID;

-- The team stands here too, so that a user of one team cannot be a member in another.
CREATE TABLE members (
  project TEXT NOT NULL,
  user TEXT NOT NULL,
  team TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('run', 'edit')),
  added INTEGER NOT NULL,
  PRIMARY KEY (project, user),
  FOREIGN KEY (project, team) REFERENCES projects (id, team) ON DELETE CASCADE,
  FOREIGN KEY (user, team) REFERENCES users (id, team) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX members_of_user ON members (user, team);

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  team TEXT NOT NULL REFERENCES teams ON DELETE CASCADE,
  user TEXT,
  name TEXT NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('admin', 'team', 'read_only')),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  created INTEGER NOT NULL,
  expires INTEGER,
  revoked INTEGER,
  last_used INTEGER,
  FOREIGN KEY (user, team) REFERENCES users (id, team) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_of_team ON keys (team, created, id);
CREATE INDEX keys_of_user ON keys (user, team);

-- Counts changes of keys: whoever remembers keys asks it whether to forget them. A use is no change.
CREATE TABLE keys_version (only INTEGER PRIMARY KEY CHECK (only = 1), version INTEGER NOT NULL) STRICT;
INSERT INTO keys_version VALUES (1, 1);
CREATE TRIGGER keys_inserted AFTER INSERT ON keys BEGIN UPDATE keys_version SET version = version + 1; END;
CREATE TRIGGER keys_deleted AFTER DELETE ON keys BEGIN UPDATE keys_version SET version = version + 1; END;
CREATE TRIGGER keys_changed AFTER UPDATE OF id, team, user, scope, hash, expires, revoked ON keys
  BEGIN UPDATE keys_version SET version = version + 1; END;

-- Owners are no references: a record outlives the key and the user that it names.
CREATE TABLE sandboxes (
  id TEXT PRIMARY KEY,
  team TEXT NOT NULL REFERENCES teams ON DELETE CASCADE,
  owner_key TEXT NOT NULL,
  owner_user TEXT,
  project TEXT REFERENCES projects ON DELETE SET NULL,
  name TEXT NOT NULL,
  labels TEXT NOT NULL,
  template_name TEXT NOT NULL,
  template_digest TEXT NOT NULL,
  tier TEXT NOT NULL,
  network TEXT NOT NULL,
  cpu_millis INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL,
  disk_bytes INTEGER NOT NULL,
  max_processes INTEGER NOT NULL,
  timeout INTEGER NOT NULL,
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  idle_timeout INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('creating', 'running', 'ended')),
  ended INTEGER,
  cause TEXT NOT NULL,
  CHECK ((state = 'ended') = (ended IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX sandboxes_of_team ON sandboxes (team, created, id);
CREATE INDEX sandboxes_of_project ON sandboxes (project);
CREATE INDEX sandboxes_live ON sandboxes (team, created, id) WHERE state <> 'ended';
CREATE INDEX sandboxes_ended ON sandboxes (ended) WHERE state = 'ended';

CREATE TABLE attempts (
  team TEXT NOT NULL REFERENCES teams ON DELETE CASCADE,
  key TEXT NOT NULL,
  request_hash BLOB NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'interrupted', 'answered')),
  subject TEXT NOT NULL DEFAULT '',
  status INTEGER NOT NULL DEFAULT 0,
  headers TEXT NOT NULL DEFAULT '',
  body BLOB NOT NULL DEFAULT x'',
  created INTEGER NOT NULL,
  PRIMARY KEY (team, key)
) STRICT;
CREATE INDEX attempts_by_age ON attempts (created);
)sql",
};

Result<> apply(Database& database, std::int64_t step, Time now) {
  RETURN_IF_ERROR(database.script(kSteps[step]));
  if (step == 0) {
    RETURN_IF_ERROR(database.script(fmt::format("PRAGMA application_id={}", kApplication).c_str()));
    RETURN_IF_ERROR(database.run("INSERT INTO teams VALUES (?, ?, ?)", TeamId::random(), kDefaultTeam, now));
  }
  return database.script(fmt::format("PRAGMA user_version={}", step + 1).c_str());
}

Result<> apply_missing(Database& database, Time now) {
  constexpr auto kNewest = static_cast<std::int64_t>(std::size(kSteps));
  ASSIGN_OR_RETURN(auto step, database.integer("PRAGMA user_version"));
  ASSIGN_OR_RETURN(const auto tables, database.integer("SELECT count(*) FROM sqlite_schema"));
  ASSIGN_OR_RETURN(const auto application, database.integer("PRAGMA application_id"));
  if (application != kApplication && (tables != 0 || step != 0)) {
    return base::fail(base::Code::kInvalid,
                      "this file is another program's; name a state directory of Cove's");
  }
  if (step > kNewest) {
    return base::fail(
        base::Code::kUnsupported,
        fmt::format("the database has form {}, made by a newer Cove; this one knows forms up to {}. "
                    "Update Cove, or restore a backup of before",
                    step, kNewest));
  }
  for (; step < kNewest; ++step) RETURN_IF_ERROR(apply(database, step, now));
  return {};
}

}  // namespace

Result<> migrate(Database& database, Time now) {
  // Read again inside: another process may be at the same.
  return database.atomically([&] { return apply_missing(database, now); });
}

}  // namespace store
