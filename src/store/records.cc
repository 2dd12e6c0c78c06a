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

constexpr std::size_t kMaxIdentifier = 63;
constexpr std::size_t kMaxTitle = 128;

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
  return base::fail(base::Code::kInvalid, fmt::format("'{}' is not a {}; there are: {}", shown(text), what, all));
}

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Control characters, line separators, and marks that make text read in another order than it is written.
bool is_unseemly(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

bool is_title(std::string_view text) {
  if (text.size() > kMaxTitle) return false;
  while (!text.empty()) {
    const auto character = base::first_character(text);
    if (character.kind != base::Utf8::Kind::kWhole || is_unseemly(character.value)) return false;
    text.remove_prefix(character.size);
  }
  return true;
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

Result<> check_identifier(std::string_view text, std::string_view whose) {
  const auto allowed = [](char c) { return is_alphanumeric(c) || std::string_view("._-@+").contains(c); };
  if (!text.empty() && text.size() <= kMaxIdentifier && is_alphanumeric(text.front()) &&
      std::all_of(text.begin(), text.end(), allowed)) {
    return {};
  }
  return base::fail(base::Code::kInvalid,
                    fmt::format("'{}' cannot be the name of {}: it takes 1 to {} letters, digits and . _ - @ +, a "
                                "letter or digit first",
                                shown(text), whose, kMaxIdentifier));
}

Result<> check_title(std::string_view text, std::string_view whose) {
  if (is_title(text)) return {};
  return base::fail(base::Code::kInvalid,
                    fmt::format("'{}' cannot be the name of {}: it takes at most {} bytes of UTF-8 without "
                                "control characters",
                                shown(text), whose, kMaxTitle));
}

}  // namespace store
