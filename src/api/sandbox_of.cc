#include "api/sandbox_of.h"

#include <fmt/format.h>

#include <boost/json/parse.hpp>

#include "api/clock.h"

namespace api {

namespace {

namespace json = boost::json;
using base::Code;
using base::SandboxId;

base::Error unknown_sandbox(std::string_view id) {
  return {Code::kNotFound,
          fmt::format("there is no sandbox {}; GET /v1/sandboxes lists those of your team", id)};
}

Known known_of(const Live& live) {
  return {.row = live.row, .environment_names = live.environment_names, .sandbox = live.sandbox};
}

bool is_seen(const Call& call, const store::TeamId& team, Proof proof) {
  return proof == Proof::kGiven || auth::sees(call.principal(), team);
}

io::Task<Known> ended_record_of(CallPtr call, SandboxId id, Proof proof) {
  Services& services = call->services();
  CO_RETURN_IF_ERROR(co_await services.roster.flush());
  auto work = [&services, id] { return services.store.sandboxes().get(std::nullopt, id); };
  auto row = co_await services.pool.run(std::move(work));
  if (!row && row.error().code != Code::kNotFound) co_return std::unexpected(std::move(row).error());
  if (!row || !is_seen(*call, row->team, proof)) co_return std::unexpected(unknown_sandbox(id.text()));
  co_return Known{.row = *std::move(row)};
}

json::array names_document(const std::vector<std::string>& names) {
  return json::array(names.begin(), names.end());
}

json::object limits_document(const store::SandboxLimits& limits) {
  constexpr double kMiB = 1 << 20;
  return {{"cpus", limits.cpu_millis / 1000.0},
          {"memory_mb", static_cast<double>(limits.memory_bytes) / kMiB},
          {"disk_mb", static_cast<double>(limits.disk_bytes) / kMiB},
          {"max_processes", limits.max_processes},
          {"timeout", seconds_of(limits.timeout)}};
}

json::object labels_document(const std::string& labels) {
  boost::system::error_code failed;
  auto parsed = json::parse(labels, failed);
  return !failed && parsed.is_object() ? std::move(parsed.get_object()) : json::object();
}

json::value text_or_null(std::string_view text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

}  // namespace

io::Task<Known> record_of(CallPtr call, Proof proof) {
  const std::string& id = (*call)["sandbox"];
  CO_ASSIGN_OR_RETURN(auto parsed, SandboxId::parse(id));
  const Live* live = call->services().roster.find(id);
  if (live == nullptr) co_return co_await ended_record_of(call, std::move(parsed), proof);
  if (!is_seen(*call, live->row.team, proof)) co_return std::unexpected(unknown_sandbox(id));
  co_return known_of(*live);
}

io::Task<fleet::SandboxPtr> sandbox_of(CallPtr call, Proof proof) {
  CO_ASSIGN_OR_RETURN(auto known, co_await record_of(call, proof));
  if (!known.sandbox || known.sandbox->end_cause()) {
    const std::string cause(known.sandbox ? fleet::name_of(*known.sandbox->end_cause()) : known.row.cause);
    auto gone = problem("gone", fmt::format("sandbox {} has ended: {}", known.row.id.text(), cause),
                        "create another one");
    gone.details = fmt::format(R"({{"cause": {}}})", http::json_string(cause));
    co_return call->refuse(std::move(gone));
  }
  known.sandbox->touch();
  co_return known.sandbox;
}

json::object sandbox_document(const Known& known) {
  const store::SandboxRow& row = known.row;
  json::object document{{"id", row.id.text()},
                        {"name", text_or_null(row.name)},
                        {"state", store::name_of(row.state)},
                        {"cause", text_or_null(row.cause)},
                        {"template", row.template_name},
                        {"template_digest", row.template_digest},
                        {"tier", row.tier},
                        {"labels", labels_document(row.labels)},
                        {"limits", limits_document(row.limits)},
                        {"env", names_document(known.environment_names)},
                        {"network", {{"tier", row.network}}},
                        {"owner", row.owner_user ? row.owner_user->text() : row.owner_key.text()},
                        {"team", row.team.text()},
                        {"created_at", text_of(row.created)},
                        {"expires_at", text_of(row.expires)},
                        {"idle_timeout", seconds_of(row.idle_timeout)}};
  document["project"] = row.project ? json::value(row.project->text()) : json::value(nullptr);
  document["ended_at"] = row.ended ? json::value(text_of(*row.ended)) : json::value(nullptr);
  return document;
}

json::object sandbox_document(const Live& live) { return sandbox_document(known_of(live)); }

std::string absolute(const fleet::Sandbox& sandbox, std::string_view path) {
  return path.starts_with('/') ? std::string(path) : sandbox.wish().cwd + "/" + std::string(path);
}

}  // namespace api
