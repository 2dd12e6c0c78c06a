#include "store/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace store {

namespace {

constexpr std::array<std::string_view, 2> kRoles = {"run", "edit"};
constexpr std::array<std::string_view, 3> kScopes = {"admin", "team", "read_only"};
constexpr std::array<std::string_view, 3> kStates = {"creating", "running", "ended"};

constexpr std::size_t kMaxName = 100;

// What was given, cut and without what a terminal would obey.
std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string out(text.substr(0, kShown));
  for (char& c : out) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return text.size() > kShown ? out + "…" : out;
}

template <class Enum, std::size_t N>
Result<Enum> parse_one_of(std::string_view text, const std::array<std::string_view, N>& names,
                          std::string_view what) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return base::fail(base::Code::kInvalid,
                    fmt::format("'{}' is not a {}; there are: {}", shown(text), what, all));
}

// Control characters, line separators, and marks that make text read in another order than it is written.
bool is_unseemly(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

bool is_name(std::string_view text) {
  std::size_t characters = 0;
  for (; !text.empty() && characters <= kMaxName; ++characters) {
    const auto character = base::first_character(text);
    if (character.kind != base::Utf8::Kind::kWhole || is_unseemly(character.value)) return false;
    text.remove_prefix(character.size);
  }
  return characters >= 1 && characters <= kMaxName;
}

}  // namespace

std::string_view name_of(Role role) { return kRoles.at(static_cast<std::size_t>(role)); }
std::string_view name_of(Scope scope) { return kScopes.at(static_cast<std::size_t>(scope)); }
std::string_view name_of(SandboxState state) { return kStates.at(static_cast<std::size_t>(state)); }

Result<Role> parse_role(std::string_view text) { return parse_one_of<Role>(text, kRoles, "role"); }
Result<Scope> parse_scope(std::string_view text) { return parse_one_of<Scope>(text, kScopes, "scope"); }
Result<SandboxState> parse_sandbox_state(std::string_view text) {
  return parse_one_of<SandboxState>(text, kStates, "state");
}

Result<> check_name(std::string_view text, std::string_view whose) {
  if (is_name(text)) return {};
  return base::fail(
      base::Code::kInvalid,
      fmt::format("'{}' cannot be the name of {}: it takes 1 to {} characters of UTF-8, none of them a "
                  "control character",
                  shown(text), whose, kMaxName));
}

std::string rfc3339(Time time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

}  // namespace store
