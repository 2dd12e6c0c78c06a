#include "store/sandboxes.h"

#include "store/cursor.h"
#include "store/database.h"

namespace store {

namespace {

using base::Code;

#define SANDBOX_COLUMNS                                                                                     \
  "id, team, owner_key, owner_user, project, name, labels, template_name, template_digest, tier, network, " \
  "cpu_millis, memory_bytes, disk_bytes, max_processes, timeout, created, expires, idle_timeout, state, "   \
  "ended, cause"

constexpr std::size_t kMaxLabels = std::size_t{128} << 10;
constexpr std::size_t kMaxLabelFilters = 16;

SandboxLimits read_limits(Row row) {
  return {.cpu_millis = static_cast<std::uint32_t>(row.integer(11)),
          .memory_bytes = static_cast<std::uint64_t>(row.integer(12)),
          .disk_bytes = static_cast<std::uint64_t>(row.integer(13)),
          .max_processes = static_cast<std::uint32_t>(row.integer(14)),
          .timeout = std::chrono::milliseconds(row.integer(15))};
}

Result<SandboxRow> read_sandbox(Row row) {
  ASSIGN_OR_RETURN(auto id, row.id<SandboxId>(0));
  ASSIGN_OR_RETURN(auto team, row.id<TeamId>(1));
  ASSIGN_OR_RETURN(auto key, row.id<KeyId>(2));
  ASSIGN_OR_RETURN(auto user, row.maybe_id<UserId>(3));
  ASSIGN_OR_RETURN(auto project, row.maybe_id<ProjectId>(4));
  ASSIGN_OR_RETURN(const auto state, parse_sandbox_state(row.text(19)));
  return SandboxRow{.id = std::move(id),
                    .team = std::move(team),
                    .owner_key = std::move(key),
                    .owner_user = std::move(user),
                    .project = std::move(project),
                    .name = row.text(5),
                    .labels = row.text(6),
                    .template_name = row.text(7),
                    .template_digest = row.text(8),
                    .tier = row.text(9),
                    .network = row.text(10),
                    .limits = read_limits(row),
                    .created = row.time(16),
                    .expires = row.time(17),
                    .idle_timeout = std::chrono::milliseconds(row.integer(18)),
                    .state = state,
                    .ended = row.maybe_time(20),
                    .cause = row.text(21)};
}

std::unexpected<base::Error> no_sandbox(const SandboxId& id) {
  return base::fail(Code::kNotFound, "there is no sandbox '" + id.text() + "'");
}

Result<> check_labels(Database& database, const std::string& labels) {
  if (labels.size() > kMaxLabels) return base::fail(Code::kInvalid, "labels take at most 128 KiB");
  ASSIGN_OR_RETURN(const auto good,
                   database.first(
                       "SELECT CASE WHEN json_valid(?1) THEN json_type(?1) = 'object' ELSE 0 END",
                       [](Row row) { return Result<std::int64_t>(row.integer(0)); }, labels));
  if (good != 1) return base::fail(Code::kInvalid, "labels are not a JSON object");
  return {};
}

// A WHERE clause that grows: conditions and what their ? stand for.
struct Conditions {
  std::string sql;
  std::vector<Value> values;

  void add(std::string_view condition, std::initializer_list<Value> bound) {
    sql += sql.empty() ? " WHERE " : " AND ";
    sql += condition;
    values.insert(values.end(), bound);
  }
};

Conditions conditions_of(const SandboxFilter& filter, const Position& start) {
  Conditions out;
  out.add("(created, id) < (?, ?)", {value(start.created), value(start.id)});
  if (filter.team) out.add("team = ?", {value(*filter.team)});
  if (filter.state) out.add("state = ?", {value(name_of(*filter.state))});
  if (filter.tier) out.add("tier = ?", {value(*filter.tier)});
  if (filter.template_name) {
    out.add("(template_name = ? OR template_digest = ?)",
            {value(*filter.template_name), value(*filter.template_name)});
  }
  if (filter.owner)
    out.add("(owner_user = ? OR owner_key = ?)", {value(*filter.owner), value(*filter.owner)});
  if (filter.project) out.add("project = ?", {value(*filter.project)});
  if (filter.created_after) out.add("created > ?", {value(*filter.created_after)});
  if (filter.created_before) out.add("created < ?", {value(*filter.created_before)});
  // Through json_each, where the key is a value: in a JSON path it would have to be quoted.
  for (const Label& label : filter.labels) {
    out.add("EXISTS (SELECT 1 FROM json_each(labels) AS label WHERE label.key = ? AND label.value = ?)",
            {value(label.key), value(label.value)});
  }
  return out;
}

}  // namespace

Result<> Sandboxes::insert(const SandboxRow& row) {
  if (!row.name.empty()) RETURN_IF_ERROR(check_name(row.name, "a sandbox"));
  RETURN_IF_ERROR(check_labels(database_, row.labels));
  const auto& limits = row.limits;
  RETURN_IF_ERROR(database_.run("INSERT INTO sandboxes (" SANDBOX_COLUMNS
                                ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                row.id, row.team, row.owner_key, row.owner_user, row.project, row.name,
                                row.labels, row.template_name, row.template_digest, row.tier, row.network,
                                limits.cpu_millis, limits.memory_bytes, limits.disk_bytes,
                                limits.max_processes, limits.timeout, row.created, row.expires,
                                row.idle_timeout, name_of(row.state), row.ended, row.cause));
  return {};
}

Result<> Sandboxes::set_running(const SandboxId& id) {
  ASSIGN_OR_RETURN(
      const auto changed,
      database_.run("UPDATE sandboxes SET state = 'running' WHERE id = ? AND state <> 'ended'", id));
  if (changed == 0) return no_sandbox(id);
  return {};
}

Result<> Sandboxes::set_ended(const SandboxId& id, std::string_view cause, Time now) {
  RETURN_IF_ERROR(database_.run(
      "UPDATE sandboxes SET state = 'ended', cause = ?, ended = ? WHERE id = ? AND state <> 'ended'", cause,
      now, id));
  return {};
}

Result<SandboxRow> Sandboxes::change(const TeamId& team, const SandboxId& id, const SandboxChange& change) {
  if (change.name && !change.name->empty()) RETURN_IF_ERROR(check_name(*change.name, "a sandbox"));
  if (change.labels) RETURN_IF_ERROR(check_labels(database_, *change.labels));
  ASSIGN_OR_RETURN(
      const auto changed,
      database_.run("UPDATE sandboxes SET expires = ifnull(?, expires), idle_timeout = "
                    "ifnull(?, idle_timeout), labels = ifnull(?, labels), name = ifnull(?, name) "
                    "WHERE id = ? AND team = ? AND state <> 'ended'",
                    change.expires, change.idle_timeout, change.labels, change.name, id, team));
  ASSIGN_OR_RETURN(auto row, get(team, id));
  if (changed == 0) return base::fail(Code::kConflict, "the sandbox '" + id.text() + "' has ended");
  return row;
}

Result<> Sandboxes::erase(const SandboxId& id) {
  RETURN_IF_ERROR(database_.run("DELETE FROM sandboxes WHERE id = ?", id));
  return {};
}

Result<SandboxRow> Sandboxes::get(const std::optional<TeamId>& team, const SandboxId& id) const {
  ASSIGN_OR_RETURN(auto found, database_.first("SELECT " SANDBOX_COLUMNS
                                               " FROM sandboxes WHERE id = ?1 AND (?2 IS NULL OR team = ?2)",
                                               read_sandbox, id, team));
  if (!found) return no_sandbox(id);
  return std::move(*found);
}

Result<Page<SandboxRow>> Sandboxes::list(const SandboxFilter& filter, const PageRequest& page) const {
  ASSIGN_OR_RETURN(const auto start, start_of(page));
  if (filter.labels.size() > kMaxLabelFilters)
    return base::fail(Code::kInvalid, "a list is narrowed by at most 16 labels");
  auto conditions = conditions_of(filter, start);
  conditions.values.push_back(value(page.limit + 1));
  ASSIGN_OR_RETURN(auto rows,
                   database_.all_bound("SELECT " SANDBOX_COLUMNS " FROM sandboxes" + conditions.sql +
                                           " ORDER BY created DESC, id DESC LIMIT ?",
                                       read_sandbox, conditions.values));
  return page_of(std::move(rows), page.limit);
}

Result<std::vector<SandboxRow>> Sandboxes::live() const {
  return database_.all(
      "SELECT " SANDBOX_COLUMNS " FROM sandboxes WHERE state <> 'ended' ORDER BY created, id", read_sandbox);
}

Result<std::int64_t> Sandboxes::erase_ended_before(Time time) {
  return database_.run("DELETE FROM sandboxes WHERE state = 'ended' AND ended < ?", time);
}

}  // namespace store
