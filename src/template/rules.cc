#include "template/rules.h"

#include <algorithm>

#include "base/utf8.h"

namespace templates {

namespace {
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
bool is_control(char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }

// Bytes of the UTF-8 character that the text begins with; 0 where it begins with none, or with a control
// character, also one of those above 127, which terminals obey as well.
std::size_t shown_character(std::string_view text) {
  const auto character = base::first_character(text);
  const bool is_whole = character.kind == base::Utf8::Kind::kWhole;
  const bool is_shown = character.value >= 0x20 && (character.value < 0x7f || character.value >= 0xa0);
  return is_whole && is_shown ? character.size : 0;
}

std::unexpected<base::Error> bad_path(std::string_view path, std::string_view why) {
  return base::fail(base::Code::kInvalid, "path " + printable(path) + ": " + std::string(why));
}
}  // namespace

Result<> check_template_name(std::string_view name) {
  const auto allowed = [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '_' || c == '.'; };
  const bool good = !name.empty() && name.size() <= 63 && (is_lower(name[0]) || is_digit(name[0])) &&
                    std::ranges::all_of(name, allowed);
  // A name that looks like a digest could never be asked for by name.
  // builds/trash.* is swept without asking.
  const bool is_trash = name == "trash" || name.starts_with("trash.");
  if (good && !is_digest(name) && !is_trash) return {};
  return base::fail(base::Code::kInvalid, "template name " + printable(name) +
                                              ": 1 to 63 characters of a-z 0-9 . _ -, starting with a "
                                              "letter or digit; not a digest, not trash");
}

bool is_digest(std::string_view text) {
  return text.size() == 64 &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

Result<> check_tree_path(std::string_view path) {
  if (path.size() > kMaxPathBytes) return bad_path(path, "longer than 4000 bytes");
  if (has_control_character(path)) return bad_path(path, "control characters in a name");
  std::size_t depth = 0;
  for (std::string_view rest = path;;) {
    const auto slash = rest.find('/');
    const auto part = rest.substr(0, slash);
    if (part.empty()) return bad_path(path, "empty name");
    if (part == "." || part == "..") return bad_path(path, "'.' and '..' are not allowed");
    if (part.size() > kMaxNameBytes) return bad_path(path, "a name longer than 255 bytes");
    if (++depth > kMaxDepth) return bad_path(path, "more than 64 levels deep");
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
}

Result<> check_absolute_path(std::string_view path) {
  if (!path.starts_with('/')) return bad_path(path, "must start with '/'");
  return check_tree_path(path.substr(1));
}

bool lies_within(std::string_view path, std::string_view ancestor) {
  return path.starts_with(ancestor) && (path.size() == ancestor.size() || path[ancestor.size()] == '/');
}

bool is_user_name(std::string_view name) {
  const auto allowed = [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '_'; };
  return !name.empty() && name.size() <= 32 && (is_lower(name[0]) || name[0] == '_') &&
         std::ranges::all_of(name, allowed);
}

bool is_environment_name(std::string_view name) {
  const auto allowed = [](char c) { return is_alpha(c) || is_digit(c) || c == '_'; };
  return !name.empty() && name.size() <= 128 && !is_digit(name[0]) && std::ranges::all_of(name, allowed);
}

bool has_control_character(std::string_view text) { return std::ranges::any_of(text, is_control); }

bool is_plain_text(std::string_view text) {
  while (!text.empty()) {
    const auto size = shown_character(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string out;
  while (!text.empty()) {
    const auto size = shown_character(text);
    if (out.size() + std::max<std::size_t>(size, 1) > longest) return out + "…";
    out += size == 0 ? "?" : text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

}  // namespace templates
