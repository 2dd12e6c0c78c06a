#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/ids.h"

namespace store {

using base::Result;
using base::SandboxId;

struct TeamKind {
  static constexpr std::size_t kLength = 16;
  static constexpr std::string_view kName = "a team id";
};
struct UserKind {
  static constexpr std::size_t kLength = 16;
  static constexpr std::string_view kName = "a user id";
};
struct ProjectKind {
  static constexpr std::size_t kLength = 16;
  static constexpr std::string_view kName = "a project id";
};
struct KeyKind {
  static constexpr std::size_t kLength = 16;
  static constexpr std::string_view kName = "a key id";
};
using TeamId = base::RandomId<TeamKind>;
using UserId = base::RandomId<UserKind>;
using ProjectId = base::RandomId<ProjectKind>;
using KeyId = base::RandomId<KeyKind>;

// Of the wall clock, because rows outlive the machine's boot. Whoever calls says what time it is.
using Time = std::chrono::sys_time<std::chrono::milliseconds>;

// The team that a new database has; commands that name none mean it.
constexpr std::string_view kDefaultTeam = "default";

struct Team {
  TeamId id;
  std::string name;  // unique
  Time created;
};

struct User {
  UserId id;
  TeamId team;
  std::string name;  // unique in its team
  Time created;
};

struct Project {
  ProjectId id;
  TeamId team;
  std::string name;  // unique in its team
  Time created;
};

// What a member may do with the things of a project.
enum class Role { kRun, kEdit };
std::string_view name_of(Role role);  // run, edit
Result<Role> parse_role(std::string_view text);

struct Member {
  UserId user;
  std::string name;  // of the user
  Role role;
  Time added;
};

// What a key may do: everything in every team, everything in its team, or look at things of its team.
enum class Scope { kAdmin, kTeam, kReadOnly };
std::string_view name_of(Scope scope);  // admin, team, read_only
Result<Scope> parse_scope(std::string_view text);

struct Key {
  KeyId id;
  TeamId team;
  std::optional<UserId> user;
  std::string name;  // may be empty
  Scope scope;
  std::string hash;  // 32 bytes: SHA-256 of the secret (auth/key.h)
  Time created;
  std::optional<Time> expires;
  std::optional<Time> revoked;
  std::optional<Time> last_used;  // to within a minute or so: the server writes these together
};

enum class SandboxState { kCreating, kRunning, kEnded };
std::string_view name_of(SandboxState state);  // creating, running, ended
Result<SandboxState> parse_sandbox_state(std::string_view text);

struct SandboxLimits {
  std::uint32_t cpu_millis = 0;  // thousandths of a CPU
  std::uint64_t memory_bytes = 0;
  std::uint64_t disk_bytes = 0;
  std::uint32_t max_processes = 0;
  std::chrono::milliseconds timeout{0};  // of an execution that names none
};

// What is known of a sandbox, before, while and after it lives.
struct SandboxRow {
  SandboxId id;
  TeamId team;
  KeyId owner_key;                   // that made it; may be gone since
  std::optional<UserId> owner_user;  // of that key
  std::optional<ProjectId> project;
  std::string name;           // may be empty
  std::string labels = "{}";  // a JSON object of strings
  std::string template_name;
  std::string template_digest;
  std::string tier;
  std::string network;
  SandboxLimits limits;
  Time created;
  Time expires;
  std::chrono::milliseconds idle_timeout{0};  // 0: never
  SandboxState state = SandboxState::kCreating;
  std::optional<Time> ended;
  std::string cause;  // of the end; empty before
};

// A part of a list, newest first. `next` is where the following part begins, absent at the end.
template <class T>
struct Page {
  std::vector<T> items;
  std::optional<std::string> next;
};

struct PageRequest {
  std::size_t limit = 50;             // 1 to kMaxPage
  std::optional<std::string> cursor;  // `next` of the page before; kInvalid when it is not one
};
constexpr std::size_t kMaxPage = 1000;

// What people call something: 1 to 100 characters of UTF-8 without control characters and marks that reorder
// text.
Result<> check_name(std::string_view text, std::string_view whose);

// RFC 3339 in UTC: 2026-01-31T09:30:00.250Z.
std::string rfc3339(Time time);

}  // namespace store
