#include "base/config.h"

#include <fmt/format.h>

#include <charconv>

#include "base/units.h"

namespace base {

namespace {

Result<> add_workspace_root(Config& config, std::string_view value) {
  const auto has = [&](std::string_view part) { return value.find(part) != std::string_view::npos; };
  if (!value.starts_with('/') || has("/../") || value.ends_with("/..") || has({"\0", 1})) {
    return fail(Code::kInvalid, fmt::format("'{}' is not an absolute directory", value));
  }
  while (value.size() > 1 && value.ends_with('/')) value.remove_suffix(1);
  config.workspace_roots.emplace_back(value);
  return {};
}

Result<> set_disk(Config& config, std::string_view value) {
  constexpr std::pair<std::string_view, DiskBackend> kNames[] = {{"auto", DiskBackend::kAuto},
                                                                 {"quota", DiskBackend::kQuota},
                                                                 {"loop", DiskBackend::kLoop},
                                                                 {"tmpfs", DiskBackend::kTmpfs}};
  for (const auto& [name, backend] : kNames) {
    if (name != value) continue;
    config.disk.backend = backend;
    return {};
  }
  return fail(Code::kInvalid, fmt::format("disk is auto, quota, loop or tmpfs, not '{}'", value));
}

Result<> set_disk_size(Config& config, std::string_view value) {
  ASSIGN_OR_RETURN(config.disk.default_bytes, parse_bytes(value));
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (config.disk.default_bytes >= kLeast && config.disk.default_bytes <= kMost) return {};
  return fail(Code::kInvalid, fmt::format("disk_size must be from 1M to 1T, not '{}'", value));
}

Result<> set_number(std::string_view key, std::string_view value, std::uint32_t most, std::uint32_t& out) {
  const char* const end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, out);
  if (parsed.ec == std::errc() && parsed.ptr == end && out <= most) return {};
  return fail(Code::kInvalid, fmt::format("{} must be a number from 0 to {}, not '{}'", key, most, value));
}

Result<> set_disk_pool(Config& config, std::string_view value) {
  return set_number("disk_pool", value, 1024, config.disk.pool);
}

Result<> set_ready(Config& config, std::string_view value) {
  return set_number("ready", value, 256, config.ready);
}

Result<> set_ready_memory(Config& config, std::string_view value) {
  ASSIGN_OR_RETURN(config.ready_memory, parse_bytes(value));
  return {};
}

Result<> set_disk_reserve(Config& config, std::string_view value) {
  ASSIGN_OR_RETURN(config.disk.reserve, parse_bytes(value));
  return {};
}

struct Key {
  std::string_view name;
  std::string_view doc;
  Result<> (*set)(Config&, std::string_view);
};

constexpr Key kKeys[] = {
    {"workspace_roots", "a directory below which --workspace may be; may be given more than once",
     add_workspace_root},
    {"disk", "what sandboxes' disks are made of: auto, quota, loop or tmpfs", set_disk},
    {"disk_size", "size of a disk when none is asked for; not for tmpfs", set_disk_size},
    {"disk_pool", "how many disks of that size wait ready; for loop", set_disk_pool},
    {"ready", "how many sandboxes of the kinds that are asked for again wait ready; 0: nothing is made ahead",
     set_ready},
    {"ready_memory", "how much memory they may take together", set_ready_memory},
    {"disk_reserve", "how much of the host's space no disk may take", set_disk_reserve},
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

Result<> set_key(Config& config, std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return fail(Code::kInvalid, "expected 'key = value'");
  const std::string_view name = trimmed(line.substr(0, equals));
  for (const Key& key : kKeys) {
    if (key.name == name) return key.set(config, trimmed(line.substr(equals + 1)));
  }
  std::string known;
  for (const Key& key : kKeys)
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", key.name, key.doc);
  return fail(Code::kInvalid, fmt::format("unknown key '{}'; known: {}", name, known));
}

}  // namespace

Result<Config> parse_config(std::string_view text, std::string_view origin) {
  Config config;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string_view content = trimmed(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    if (auto done = set_key(config, content); !done) {
      return std::unexpected(with_context(fmt::format("{}:{}", origin, number), std::move(done).error()));
    }
  }
  return config;
}

}  // namespace base
