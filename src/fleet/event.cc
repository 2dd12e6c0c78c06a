#include "fleet/event.h"

#include <array>

#include "fleet/end_cause.h"

namespace fleet {

namespace {

constexpr std::array<std::string_view, 10> kEventNames{"started",        "stdout",       "stderr", "display",
                                                       "update_display", "clear_output", "result", "error",
                                                       "notice",         "ended"};
static_assert(kEventNames.size() == static_cast<std::size_t>(kLastEventKind) + 1);

constexpr std::array<std::string_view, 8> kEndNames{"deleted",       "expired",     "idle", "failed",
                                                    "out_of_memory", "host_reboot", "lost", "policy"};
static_assert(kEndNames.size() == static_cast<std::size_t>(kLastEndCause) + 1);

}  // namespace

std::string_view name_of(EventKind kind) { return kEventNames[static_cast<std::size_t>(kind)]; }

std::string_view name_of(EndCause cause) { return kEndNames[static_cast<std::size_t>(cause)]; }

std::optional<EventKind> rich_kind(std::string_view name) {
  for (auto kind = EventKind::kDisplay; kind <= EventKind::kNotice;
       kind = static_cast<EventKind>(static_cast<int>(kind) + 1)) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

}  // namespace fleet
