#include "api/making.h"

#include "api/clock.h"

namespace api {

namespace {

store::SandboxRow row_of(const Call& call, const SandboxWish& wish, const fleet::Sandbox& made) {
  const engine::SandboxOptions& options = wish.wish.options;
  const auto& principal = call.principal();
  const store::Time created = to_time(made.created());
  auto id = base::SandboxId::parse(made.id());
  return {.id = id ? *std::move(id) : base::SandboxId::random(),
          .team = principal.team,
          .owner_key = principal.key,
          .owner_user = principal.user,
          .project = wish.project,
          .name = wish.name,
          .labels = wish.labels,
          .template_name = wish.template_name,
          .template_digest = wish.template_digest,
          .tier = "jail",
          .network = wish.network,
          .limits = {.cpu_millis = options.cpu_millis,
                     .memory_bytes = options.memory_bytes,
                     .disk_bytes = made.engine().disk_bytes(),
                     .max_processes = options.max_pids,
                     .timeout = wish.timeout},
          .created = created,
          .expires = created + wish.wish.ttl,
          .idle_timeout = wish.wish.idle_timeout,
          .state = store::SandboxState::kRunning,
          .ended = std::nullopt,
          .cause = {}};
}

}  // namespace

io::Task<std::string> make_sandbox(CallPtr call, SandboxWish wish) {
  Services& services = call->services();
  auto made = co_await services.fleet.create(wish.wish);
  if (!made && made.error().code == base::Code::kExhausted) {
    co_return call->refuse(
        problem("unavailable", made.error().message, "delete sandboxes, or try again later"));
  }
  if (!made) co_return std::unexpected(std::move(made).error());
  const std::string id = (*made)->id();
  services.metrics.count_sandbox_created();
  services.log.info("sandbox_created", {{"request", call->exchange().request_id()},
                                        {"sandbox", id},
                                        {"team", call->principal().team.text()},
                                        {"template", wish.template_name}});
  services.roster.add({.row = row_of(*call, wish, **made),
                       .environment_names = std::move(wish.environment_names),
                       .sandbox = *made});
  // One that ended before it was in the roster has told nobody.
  if (const auto cause = (*made)->end_cause()) services.roster.end(id, fleet::name_of(*cause), now());
  co_return id;
}

}  // namespace api
