#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fleet {

enum class EventKind : std::uint8_t {
  kStarted,
  kStdout,
  kStderr,
  kDisplay,
  kUpdateDisplay,
  kClearOutput,
  kResult,
  kError,
  kNotice,
  kEnded,
};
constexpr EventKind kLastEventKind = EventKind::kEnded;

std::string_view name_of(EventKind kind);
// Of what a runtime may tell; the others are ours to say: code cannot claim that it has ended.
std::optional<EventKind> rich_kind(std::string_view name);

// One thing that happened in a run. `bytes` is what was written (stdout, stderr; at most 64 KiB, not always
// text), nothing (started, ended), or else what engine::Bundle::parse takes. All of it is the sandbox's word.
struct Event {
  std::uint64_t number = 0;  // from 1, without gaps
  EventKind kind = EventKind::kStarted;
  std::string bytes;
};

}  // namespace fleet
