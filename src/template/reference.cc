#include "template/reference.h"

#include <algorithm>
#include <array>
#include <utility>

namespace templates {

namespace {
constexpr auto kHomes = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"python-3", "python"},
    {"python-3.13", "python"},
    {"node", "base"},
    {"node-20", "base"},
    {"bash", "base"},
});
}  // namespace

std::string canonical_reference(std::string_view typed) {
  std::string out;
  bool is_apart = false;
  for (const char c : typed) {
    if (c == ' ') {
      is_apart = !out.empty();
      continue;
    }
    if (is_apart) out += '-';
    is_apart = false;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

std::string_view home_of_language(std::string_view reference) {
  const auto* const home =
      std::ranges::find(kHomes, reference, &std::pair<std::string_view, std::string_view>::first);
  return home == kHomes.end() ? std::string_view() : home->second;
}

}  // namespace templates
