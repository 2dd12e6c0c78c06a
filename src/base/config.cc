#include "base/config.h"

#include <fmt/format.h>

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

struct Key {
  std::string_view name;
  std::string_view doc;
  Result<> (*set)(Config&, std::string_view);
};

constexpr Key kKeys[] = {
    {"workspace_roots", "a directory below which --workspace may be; may be given more than once",
     add_workspace_root},
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
