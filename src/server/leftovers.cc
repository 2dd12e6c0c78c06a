#include "server/leftovers.h"

#include <chrono>

#include "api/clock.h"
#include "engine/spawner_client.h"
#include "fleet/end_cause.h"
#include "sys/file.h"

namespace server {

namespace {

using base::Result;
using fleet::EndCause;

// When the machine was started, by the wall clock.
Result<store::Time> boot_time() {
  ASSIGN_OR_RETURN(const auto text, sys::read_file("/proc/uptime", 256));
  const auto up = std::chrono::duration<double>(std::strtod(text.c_str(), nullptr));
  return api::now() - std::chrono::duration_cast<std::chrono::milliseconds>(up);
}

Result<> end_one(engine::SpawnerClient& spawner, const std::string& id) {
  wire::spawner::Destroy request;
  request.until = wire::spawner::Until::kKilled;
  request.sandbox.set(id);
  const auto done = spawner.call(request);
  if (done || done.error().code == base::Code::kNotFound) return {};
  return std::unexpected(done.error());
}

}  // namespace

Result<> end_leftovers(const base::Paths& paths, store::Store& store, base::Log& log) {
  RETURN_IF_ERROR(store.idempotency().take_over());
  ASSIGN_OR_RETURN(const auto rows, store.sandboxes().live());
  if (rows.empty()) return {};
  ASSIGN_OR_RETURN(const auto booted, boot_time());
  ASSIGN_OR_RETURN(auto spawner, engine::SpawnerClient::connect(paths));
  for (const store::SandboxRow& row : rows) {
    RETURN_IF_ERROR(end_one(spawner, row.id.text()));
    const EndCause cause = row.created < booted ? EndCause::kHostReboot : EndCause::kLost;
    RETURN_IF_ERROR(store.sandboxes().set_ended(row.id, fleet::name_of(cause), api::now()));
    log.warning("sandbox_left_behind", {{"sandbox", row.id.text()}, {"cause", fleet::name_of(cause)}});
  }
  return {};
}

}  // namespace server
