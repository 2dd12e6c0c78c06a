#include "base/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/config_keys.h"
#include "base/listen_address.h"

namespace base {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// How many letters have to be changed, added or left out (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::unexpected<Error> unknown(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  constexpr std::size_t kNear = 3;
  const std::string_view shown = name.substr(0, kLongest);
  std::string_view nearest;
  std::size_t best = kNear + 1;
  std::string known;
  for (const ConfigKey& key : config_keys()) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", key.name);
    const std::size_t apart = distance(shown, key.name);
    if (apart >= best || apart >= key.name.size() / 2) continue;
    best = apart;
    nearest = key.name;
  }
  if (!nearest.empty()) {
    return fail(Code::kInvalid, fmt::format("unknown key '{}'; did you mean '{}'?", shown, nearest));
  }
  return fail(Code::kInvalid, fmt::format("unknown key '{}'; known: {}", shown, known));
}

std::vector<std::string_view> parts_of(const ConfigKey& key, std::string_view value) {
  if (key.repeat != Repeat::kList) return {value};
  std::vector<std::string_view> parts;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(','), value.size());
    if (const auto part = trimmed(value.substr(0, end)); !part.empty()) parts.push_back(part);
    value.remove_prefix(std::min(value.size(), end + 1));
  }
  return parts;
}

Result<> apply(const ConfigKey& key, std::string_view value, Config& config) {
  for (const std::string_view part : parts_of(key, value)) {
    if (auto done = key.set(config, part); !done) {
      return std::unexpected(with_context(key.name, std::move(done).error()));
    }
  }
  return {};
}

// The settings as they are read, source by source.
class Reader {
 public:
  Reader() {
    for (const ConfigKey& key : config_keys()) {
      settings_.push_back({.key = key.name, .doc = key.doc, .default_text = key.default_text});
    }
  }

  // "key = value", in a file or on a command line.
  Result<> take(std::string_view line, ConfigSource source, std::string_view origin) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return fail(Code::kInvalid, "expected 'key = value'");
    const std::string_view name = trimmed(line.substr(0, equals));
    const auto keys = config_keys();
    const auto key = std::ranges::find(keys, name, &ConfigKey::name);
    if (key == keys.end()) return unknown(name);
    return set(static_cast<std::size_t>(key - keys.begin()), trimmed(line.substr(equals + 1)), source,
               origin);
  }

  Result<> set(std::size_t index, std::string_view value, ConfigSource source, std::string_view origin) {
    const ConfigKey& key = config_keys()[index];
    // Wrong values are told of even where another source has the last word.
    Config scratch;
    RETURN_IF_ERROR(apply(key, value, scratch));
    Setting& setting = settings_[index];
    if (setting.source != source || key.repeat == Repeat::kNo) setting.values.clear();
    setting.source = source;
    setting.origin = origin;
    setting.values.emplace_back(value);
    return {};
  }

  Result<Settings> finish() {
    Settings settings;
    settings.config.server.listen.clear();
    for (std::size_t i = 0; i < settings_.size(); ++i) {
      Setting& setting = settings_[i];
      if (setting.source == ConfigSource::kDefault && !setting.default_text.empty()) {
        setting.values.emplace_back(setting.default_text);
      }
      for (const auto& value : setting.values)
        RETURN_IF_ERROR(apply(config_keys()[i], value, settings.config));
    }
    settings.all = std::move(settings_);
    return settings;
  }

 private:
  std::vector<Setting> settings_;
};

Result<> read_file(const ConfigSources& sources, Reader& reader) {
  std::string_view text = sources.file;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string_view content = trimmed(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    const std::string place = fmt::format("{}:{}", sources.file_name, number);
    if (auto done = reader.take(content, ConfigSource::kFile, place); !done) {
      return std::unexpected(with_context(place, std::move(done).error()));
    }
  }
  return {};
}

// What a file could not say would be lost on its way to the server.
Result<> fits_a_line(std::string_view value) {
  const auto breaks = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '#'; };
  if (std::ranges::none_of(value, breaks)) return {};
  return fail(Code::kInvalid, "a value holds neither '#' nor control characters");
}

std::string variable_of(std::string_view key) {
  std::string name = "COVE_";
  for (const char c : key) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

Result<> read_environment(const ConfigSources& sources, Reader& reader) {
  if (!sources.environment) return {};
  for (std::size_t i = 0; i < config_keys().size(); ++i) {
    const std::string name = variable_of(config_keys()[i].name);
    const auto value = sources.environment(name);
    if (!value) continue;
    auto done = fits_a_line(*value);
    if (done) done = reader.set(i, trimmed(*value), ConfigSource::kEnvironment, name);
    if (!done) return std::unexpected(with_context(name, std::move(done).error()));
  }
  return {};
}

Result<> read_flags(const ConfigSources& sources, Reader& reader) {
  for (const std::string& flag : sources.flags) {
    auto done = fits_a_line(flag);
    if (done) done = reader.take(flag, ConfigSource::kFlag, "--set");
    if (!done) return std::unexpected(with_context("--set " + flag.substr(0, 64), std::move(done).error()));
  }
  return {};
}

const Setting& setting_of(const Settings& settings, std::string_view key) {
  return *std::ranges::find(settings.all, key, &Setting::key);
}

// A default that nobody has chosen gives way to a ceiling that somebody has.
Result<> keep_below(const Settings& settings, std::string_view key, std::string_view ceiling_key,
                    std::pair<std::chrono::milliseconds&, std::chrono::milliseconds> times) {
  auto& [time, ceiling] = times;
  if (time <= ceiling) return {};
  if (setting_of(settings, key).source == ConfigSource::kDefault) {
    time = ceiling;
    return {};
  }
  return fail(Code::kInvalid,
              fmt::format("{} ({}) is more than {} ({})", key, setting_of(settings, key).values.back(),
                          ceiling_key, setting_of(settings, ceiling_key).values.back()));
}

Result<> check_times(Settings& settings) {
  auto& limits = settings.config.limits;
  RETURN_IF_ERROR(keep_below(settings, "default_ttl", "max_ttl", {limits.default_ttl, limits.max_ttl}));
  RETURN_IF_ERROR(
      keep_below(settings, "default_idle_timeout", "max_ttl", {limits.default_idle_timeout, limits.max_ttl}));
  RETURN_IF_ERROR(
      keep_below(settings, "default_timeout", "max_timeout", {limits.default_timeout, limits.max_timeout}));
  return keep_below(settings, "default_command_timeout", "max_timeout",
                    {limits.default_command_timeout, limits.max_timeout});
}

Result<> check_listening(const ServerConfig& server) {
  if (server.listen.empty()) return fail(Code::kInvalid, "listen: at least one address is needed");
  if (server.tls_certificate.empty() != server.tls_key.empty()) {
    return fail(Code::kInvalid, "tls_certificate and tls_key are given together or not at all");
  }
  if (!server.tls_certificate.empty() || server.insecure_listen) return {};
  for (const std::string& address : server.listen) {
    if (is_local_address(address)) continue;
    return fail(Code::kInvalid,
                fmt::format("others can reach {}, and without TLS they can read keys on their way: give "
                            "tls_certificate and tls_key, or say insecure_listen = yes",
                            address));
  }
  return {};
}

Result<> check_together(Settings& settings) {
  RETURN_IF_ERROR(check_times(settings));
  return check_listening(settings.config.server);
}

}  // namespace

std::string Settings::text() const {
  std::string text;
  for (const Setting& setting : all) {
    if (setting.source == ConfigSource::kDefault) continue;
    for (const std::string& value : setting.values) text += fmt::format("{} = {}\n", setting.key, value);
  }
  return text;
}

Result<Settings> resolve_config(const ConfigSources& sources) {
  Reader reader;
  RETURN_IF_ERROR(read_file(sources, reader));
  RETURN_IF_ERROR(read_environment(sources, reader));
  RETURN_IF_ERROR(read_flags(sources, reader));
  ASSIGN_OR_RETURN(auto settings, reader.finish());
  if (auto sound = check_together(settings); !sound) {
    const auto origin = sources.file_name.empty() ? "configuration" : sources.file_name;
    return std::unexpected(with_context(origin, std::move(sound).error()));
  }
  return settings;
}

std::optional<std::string> process_environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<Config> parse_config(std::string_view text, std::string_view origin) {
  ASSIGN_OR_RETURN(auto settings, resolve_config({.file = text, .file_name = origin}));
  return std::move(settings.config);
}

std::string config_markdown() {
  std::string text =
      "# Configuration\n\n"
      "`cove config` shows every key, its value and where that comes from. The last of these that gives a "
      "value "
      "wins:\n\n"
      "1. the default;\n"
      "2. the file `/etc/cove/cove.conf`, or the one that `--config` names: lines `key = value`, `#` begins "
      "a "
      "comment. It belongs to root, and only root may write it;\n"
      "3. the environment: `COVE_` and the key in capitals, for example `COVE_LOG_LEVEL=debug`;\n"
      "4. the command line of `cove serve`: `--set key=value`, or an option of its own such as "
      "`--listen`.\n\n"
      "A key that does not exist is an error. Sizes are written `512M` or `2G`, times `90s`, `15m`, `1h` or "
      "`14d`. A running server keeps what it was started with.\n\n"
      "| key | meaning | default |\n|---|---|---|\n";
  for (const ConfigKey& key : config_keys()) {
    const std::string_view more = key.repeat == Repeat::kList    ? "; several with commas, or the key again"
                                  : key.repeat == Repeat::kLines ? "; the key again for more than one"
                                                                 : "";
    text += fmt::format("| `{}` | {}{} | {} |\n", key.name, key.doc, more,
                        key.default_text.empty() ? "" : fmt::format("`{}`", key.default_text));
  }
  return text;
}

}  // namespace base
