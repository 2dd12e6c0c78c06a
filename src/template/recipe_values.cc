#include "template/recipe_values.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace templates {

namespace {
bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_word(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

bool all_in(std::string_view text, std::string_view extra) {
  return std::ranges::all_of(text, [&](char c) { return is_word(c) || extra.contains(c); });
}
}  // namespace

bool is_suite(std::string_view text) {
  return !text.empty() && text.size() <= 32 && text[0] >= 'a' && text[0] <= 'z' &&
         std::ranges::all_of(text, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_package(std::string_view text) {
  const auto equals = text.find('=');
  const auto name = text.substr(0, equals);
  const auto allowed = [](char c) { return is_lower_or_digit(c) || c == '+' || c == '-' || c == '.'; };
  if (name.size() < 2 || name.size() > 128 || !is_lower_or_digit(name[0]) || name.ends_with('-'))
    return false;
  if (!std::ranges::all_of(name, allowed)) return false;
  if (equals == std::string_view::npos) return true;
  const auto version = text.substr(equals + 1);
  return !version.empty() && version.size() <= 128 && all_in(version, ".+-:~");
}

bool is_neighbour(std::string_view text) {
  return !text.empty() && text.size() <= 100 && is_word(text[0]) && all_in(text, "._-");
}

bool is_shell_word(std::string_view text) { return !text.empty() && all_in(text, "/._+-"); }

bool is_path_glob(std::string_view text) {
  return text.size() > 1 && text.size() <= 512 && text[0] == '/' && !text.contains("/../") &&
         !text.ends_with("/..") && all_in(text, "/._+@-*?");
}

Result<mode_t> parse_mode(std::string_view text) {
  unsigned mode = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || text.size() < 3 || text.size() > 4 || (mode & ~01777U) != 0) {
    return base::fail(base::Code::kInvalid,
                      "mode " + printable(text) + ": octal such as 0644, without setuid or setgid");
  }
  return static_cast<mode_t>(mode);
}

Result<std::uint32_t> parse_uid(std::string_view text) {
  std::uint32_t uid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), uid);
  if (error != std::errc() || end != text.data() + text.size() || uid < 1000 || uid > 59'999) {
    return base::fail(base::Code::kInvalid, "uid " + printable(text) + ": a number from 1000 to 59999");
  }
  return uid;
}

Result<> check_home(std::string_view path) {
  RETURN_IF_ERROR(check_recipe_path(path));
  // A colon would begin another field of /etc/passwd.
  if (path.starts_with("/home/") && !path.contains(':') && is_plain_text(path)) return {};
  return base::fail(base::Code::kInvalid, "home " + printable(path) + ": a directory below /home");
}

Result<> check_recipe_path(std::string_view path) {
  RETURN_IF_ERROR(check_absolute_path(path));
  constexpr std::array<std::string_view, 6> kMountedOver = {"/dev", "/proc", "/sys",
                                                            "/tmp", "/run",  "/workspace"};
  for (const auto mount : kMountedOver) {
    if (!lies_within(path, mount)) continue;
    return base::fail(base::Code::kInvalid,
                      "path " + printable(path) + ": every sandbox mounts its own " + std::string(mount));
  }
  return {};
}

}  // namespace templates
