#include "doctor/host_text.h"

#include <algorithm>
#include <charconv>

namespace doctor {

namespace {
bool is_octal(char c) { return c >= '0' && c <= '7'; }

// The kernel writes blanks and backslashes of a path as three octal digits.
std::string decode_octal(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) &&
                         is_octal(text[i + 2]) && is_octal(text[i + 3]);
    if (!escaped) {
      out += text[i];
      continue;
    }
    out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return out;
}

std::vector<std::string> options_of(std::string_view text) {
  std::vector<std::string> out;
  for (const auto option : split(text, ',')) out.emplace_back(option);
  return out;
}

std::vector<std::string_view> words(std::string_view text) {
  auto out = split(text, ' ');
  std::erase(out, std::string_view());
  return out;
}

std::optional<Mount> parse_mount(std::string_view line) {
  const auto fields = words(line);
  // Between the mount options and the "-" stand any number of optional fields.
  const auto dash = std::ranges::find(fields, "-");
  const auto after = fields.end() - dash;
  if (fields.size() < 10 || dash - fields.begin() < 6 || after < 3) return std::nullopt;
  return Mount{.root = decode_octal(fields[3]),
               .mount_point = decode_octal(fields[4]),
               .type = std::string(dash[1]),
               .source = decode_octal(dash[2]),
               .mount_options = options_of(fields[5]),
               .super_options = after > 3 ? options_of(dash[3]) : std::vector<std::string>()};
}

std::string_view unquoted(std::string_view value) {
  const bool quoted =
      value.size() >= 2 && value.front() == value.back() && (value[0] == '"' || value[0] == '\'');
  return quoted ? value.substr(1, value.size() - 2) : value;
}

// The rest of the line that starts with `key`.
std::optional<std::string_view> line_after(std::string_view text, std::string_view key) {
  for (const auto line : split(text, '\n')) {
    if (line.starts_with(key)) return trimmed(line.substr(key.size()));
  }
  return std::nullopt;
}
}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::optional<std::int64_t> number(std::string_view text) {
  text = trimmed(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool Mount::has_super_option(std::string_view option) const {
  return std::ranges::find(super_options, option) != super_options.end();
}

std::vector<Mount> parse_mountinfo(std::string_view text) {
  std::vector<Mount> out;
  for (const auto line : split(text, '\n')) {
    if (auto mount = parse_mount(line)) out.push_back(*std::move(mount));
  }
  return out;
}

std::vector<CgroupMembership> parse_cgroup_membership(std::string_view text) {
  std::vector<CgroupMembership> out;
  for (const auto line : split(text, '\n')) {
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string_view::npos ? first : first + 1);
    if (second == std::string_view::npos) continue;
    out.push_back({.controllers = std::string(line.substr(first + 1, second - first - 1)),
                   .path = std::string(line.substr(second + 1))});
  }
  return out;
}

std::map<std::string, std::string> parse_os_release(std::string_view text) {
  std::map<std::string, std::string> out;
  for (const auto line : split(text, '\n')) {
    const auto equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    out[std::string(trimmed(line.substr(0, equals)))] =
        std::string(unquoted(trimmed(line.substr(equals + 1))));
  }
  return out;
}

std::string kernel_release(std::string_view proc_version) {
  const auto all = words(trimmed(proc_version));
  return all.size() < 3 ? std::string() : std::string(all[2]);
}

std::optional<KernelVersion> parse_kernel_version(std::string_view text) {
  const auto first_digit = text.find_first_of("0123456789");
  if (first_digit == std::string_view::npos) return std::nullopt;
  text.remove_prefix(first_digit);
  KernelVersion version;
  const char* const end = text.data() + text.size();
  const auto [dot, major_error] = std::from_chars(text.data(), end, version.major);
  if (major_error != std::errc() || dot == end || *dot != '.') return std::nullopt;
  if (std::from_chars(dot + 1, end, version.minor).ec != std::errc()) return std::nullopt;
  return version;
}

std::optional<std::uint64_t> parse_capability_mask(std::string_view status, std::string_view key) {
  const auto hex = line_after(status, key);
  if (!hex) return std::nullopt;
  std::uint64_t mask = 0;
  const auto [end, error] = std::from_chars(hex->data(), hex->data() + hex->size(), mask, 16);
  if (error != std::errc() || end != hex->data() + hex->size()) return std::nullopt;
  return mask;
}

std::vector<std::string> parse_swaps(std::string_view text) {
  std::vector<std::string> out;
  for (const auto line : split(text, '\n')) {
    if (line.starts_with('/')) out.push_back(decode_octal(line.substr(0, line.find_first_of(" \t"))));
  }
  return out;
}

std::optional<std::uint64_t> parse_meminfo(std::string_view text, std::string_view key) {
  const auto rest = line_after(text, std::string(key) + ":");
  if (!rest) return std::nullopt;
  const auto kibibytes = number(rest->substr(0, rest->find(' ')));
  if (!kibibytes || *kibibytes < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*kibibytes) * 1024;
}

std::string environment_value(std::string_view block, std::string_view name) {
  for (const auto entry : split(block, '\0')) {
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) {
      return std::string(entry.substr(name.size() + 1));
    }
  }
  return {};
}

}  // namespace doctor
