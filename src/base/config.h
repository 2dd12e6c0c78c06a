// What the operator may configure. One table of keys (config_keys.cc) makes the parser, `cove config` and
// docs/configuration.md. A value comes from the last of these that gives one: the default, the file, the
// environment (COVE_ and the key in capitals), the command line. An unknown key is an error that names the
// nearest known one.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log_level.h"

namespace base {

enum class DiskBackend { kAuto, kQuota, kLoop, kTmpfs };

// What sandboxes' disks are made of, and how much of the host they may take.
struct DiskConfig {
  DiskBackend backend = DiskBackend::kAuto;
  std::uint64_t default_bytes = std::uint64_t{1} << 30;
  std::uint32_t pool = 2;  // disks of the default size that are made ahead
  std::uint64_t reserve = std::uint64_t{1} << 30;
  bool operator==(const DiskConfig&) const = default;
};

// Where and as whom the server listens.
struct ServerConfig {
  std::vector<std::string> listen{"127.0.0.1:7717"};  // each checked by check_listen_address
  bool insecure_listen = false;
  std::string tls_certificate;  // files; both or none
  std::string tls_key;
  std::vector<std::string> allowed_hosts;  // besides loopback names and the addresses it listens on
  std::string preview_domain;              // empty: no host names for ports
  std::string user = "cove";
  LogLevel log_level = LogLevel::kInfo;
  bool operator==(const ServerConfig&) const = default;
};

// What clients get when they ask for nothing, and the most that they may ask for. 0: what the host has room
// for.
struct LimitConfig {
  std::uint32_t max_sandboxes = 0;
  std::uint64_t max_memory = 0;  // of all sandboxes together
  std::uint64_t max_disk = 0;    // likewise
  std::chrono::milliseconds max_ttl{std::chrono::days(14)};
  std::chrono::milliseconds default_ttl{std::chrono::hours(1)};
  std::chrono::milliseconds default_idle_timeout{std::chrono::minutes(15)};
  std::chrono::milliseconds max_timeout{std::chrono::hours(24)};
  std::chrono::milliseconds default_timeout{std::chrono::seconds(60)};
  std::chrono::milliseconds default_command_timeout{std::chrono::minutes(30)};
  std::uint64_t max_output = std::uint64_t{1} << 30;
  bool operator==(const LimitConfig&) const = default;
};

struct Config {
  std::vector<std::string> workspace_roots;
  DiskConfig disk;
  // Whole sandboxes that are made ahead, of the kinds that are asked for again.
  std::uint32_t ready = 16;
  // That all of them together may take.
  std::uint64_t ready_memory = std::uint64_t{1} << 30;
  ServerConfig server;
  LimitConfig limits;

  static constexpr const char* kDefaultPath = "/etc/cove/cove.conf";
  bool operator==(const Config&) const = default;
};

enum class ConfigSource { kDefault, kFile, kEnvironment, kFlag };

// One key as it stands: what was written, and where.
struct Setting {
  std::string_view key;
  std::string_view doc;
  std::string_view default_text;
  std::vector<std::string> values;  // as written; several only for keys that may be given more than once
  ConfigSource source = ConfigSource::kDefault;
  std::string origin;  // "/etc/cove/cove.conf:3", "COVE_LISTEN", "--set"; empty: the default
};

struct Settings {
  Config config;
  std::vector<Setting> all;  // in the table's order

  // What makes parse_config give the same Config again.
  std::string text() const;
};

struct ConfigSources {
  std::string_view file;  // lines "key = value", blank lines and # comments; empty: there is none
  std::string_view file_name;
  std::function<std::optional<std::string>(const std::string& name)> environment;  // empty: none is asked
  std::vector<std::string> flags;                                                  // "key=value"
};

Result<Settings> resolve_config(const ConfigSources& sources);

// The process's own environment, for ConfigSources.
std::optional<std::string> process_environment(const std::string& name);

// A file's text alone; `origin` names it in errors.
Result<Config> parse_config(std::string_view text, std::string_view origin);

// docs/configuration.md, whole.
std::string config_markdown();

}  // namespace base
