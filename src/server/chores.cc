#include "server/chores.h"

#include "api/clock.h"

namespace server {

namespace {

using base::Result;

constexpr std::chrono::seconds kInterval{60};
constexpr std::chrono::days kEndedKept{7};

Result<> tidy(store::Store& store, const std::vector<std::pair<store::KeyId, store::Time>>& uses) {
  if (!uses.empty()) RETURN_IF_ERROR(store.keys().mark_used(uses));
  RETURN_IF_ERROR(store.idempotency().expire(api::now()));
  RETURN_IF_ERROR(store.sandboxes().erase_ended_before(api::now() - kEndedKept));
  return {};
}

}  // namespace

io::Task<> do_chores(api::Services& services) {
  while (true) {
    CO_RETURN_IF_ERROR(co_await services.loop.sleep_until(io::Clock::now() + kInterval));
    auto work = [&services, uses = services.keyring.take_uses()] { return tidy(services.store, uses); };
    if (const auto done = co_await services.pool.run(std::move(work)); !done) {
      services.log.error("chores_failed", {{"error", done.error().message}});
    }
  }
}

}  // namespace server
