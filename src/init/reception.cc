#include "init/reception.h"

#include <utility>

#include "wire/zygote_messages.h"

namespace init {

Result<std::optional<Launched>> Reception::expect(std::uint32_t stream,
                                                  const wire::init::ExpectContext& context,
                                                  Launcher& launcher) {
  if (auto early = std::exchange(early_, std::nullopt)) {
    if (early->become(context)) return early->take();
    early->forget();
  }
  launcher.dismiss_first();
  ASSIGN_OR_RETURN(auto leaf, launcher.make_leaf());
  ASSIGN_OR_RETURN(auto guest, Guest::expect(std::move(leaf), context));
  guests_.emplace(stream, std::move(guest));
  return std::nullopt;
}

void Reception::forget(std::uint32_t stream) {
  const auto guest = guests_.find(stream);
  if (guest == guests_.end()) return;
  guest->second.forget();
  guests_.erase(guest);
}

void Reception::forget_all() {
  while (!guests_.empty()) forget(guests_.begin()->first);
}

Result<> Reception::keep(const Door::Caller& caller, Launcher& launcher) {
  // Foreign code is about to run under the user's id; and while it is quiet, nobody waits for this.
  launcher.give_up_first();
  ASSIGN_OR_RETURN(auto leaf, launcher.make_leaf());
  ASSIGN_OR_RETURN(auto guest, Guest::expect_early(std::move(leaf)));
  auto welcomed = guest.welcome(caller.pid, caller.socket.get(), filter_);
  if (!welcomed) {
    guest.forget();
    return welcomed;
  }
  early_ = std::move(guest);
  return {};
}

std::vector<Reception::Arrival> Reception::arrivals(Launcher& launcher) {
  std::vector<Arrival> arrivals;
  for (const Door::Caller& caller : door_.callers()) {
    // Who cannot be kept, or is not expected, is hung up on, and says so to the spawner.
    if (caller.stream == wire::zygote::kEarly && !early_) (void)keep(caller, launcher);
    const auto expected = guests_.find(caller.stream);
    if (expected == guests_.end()) continue;
    Guest guest = std::move(expected->second);
    guests_.erase(expected);
    auto welcomed = guest.welcome(caller.pid, caller.socket.get(), filter_);
    if (welcomed) {
      arrivals.push_back({.stream = caller.stream, .launched = guest.take()});
    } else {
      guest.forget();
      arrivals.push_back({.stream = caller.stream, .launched = std::unexpected(std::move(welcomed).error())});
    }
  }
  return arrivals;
}

}  // namespace init
