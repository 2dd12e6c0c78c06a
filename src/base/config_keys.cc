#include "base/config_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/listen_address.h"
#include "base/units.h"

namespace base {

namespace {

using std::chrono::milliseconds;

std::unexpected<Error> wrong(std::string_view value, std::string_view wanted) {
  return fail(Code::kInvalid, fmt::format("'{}' is not {}", value, wanted));
}

bool is_absolute_path(std::string_view value) {
  const auto has = [&](std::string_view part) { return value.find(part) != std::string_view::npos; };
  return value.starts_with('/') && !has("/../") && !value.ends_with("/..") && !has({"\0", 1});
}

Result<> add_workspace_root(Config& config, std::string_view value) {
  if (!is_absolute_path(value)) return wrong(value, "an absolute directory");
  while (value.size() > 1 && value.ends_with('/')) value.remove_suffix(1);
  config.workspace_roots.emplace_back(value);
  return {};
}

template <class Value, std::size_t N>
Result<> choose(const std::pair<std::string_view, Value> (&names)[N], std::string_view value, Value& out) {
  std::string known;
  for (const auto& [name, meant] : names) {
    if (name == value) {
      out = meant;
      return {};
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  }
  return wrong(value, "one of " + known);
}

Result<> set_disk(Config& config, std::string_view value) {
  constexpr std::pair<std::string_view, DiskBackend> kNames[] = {{"auto", DiskBackend::kAuto},
                                                                 {"quota", DiskBackend::kQuota},
                                                                 {"loop", DiskBackend::kLoop},
                                                                 {"tmpfs", DiskBackend::kTmpfs}};
  return choose(kNames, value, config.disk.backend);
}

Result<> set_log_level(Config& config, std::string_view value) {
  constexpr std::pair<std::string_view, LogLevel> kNames[] = {{"debug", LogLevel::kDebug},
                                                              {"info", LogLevel::kInfo},
                                                              {"warning", LogLevel::kWarning},
                                                              {"error", LogLevel::kError}};
  return choose(kNames, value, config.server.log_level);
}

Result<> set_insecure_listen(Config& config, std::string_view value) {
  constexpr std::pair<std::string_view, bool> kNames[] = {{"yes", true}, {"no", false}};
  return choose(kNames, value, config.server.insecure_listen);
}

Result<> set_disk_size(Config& config, std::string_view value) {
  ASSIGN_OR_RETURN(config.disk.default_bytes, parse_bytes(value));
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (config.disk.default_bytes >= kLeast && config.disk.default_bytes <= kMost) return {};
  return wrong(value, "from 1M to 1T");
}

Result<> set_number(std::string_view value, std::uint32_t most, std::uint32_t& out) {
  const char* const end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, out);
  if (parsed.ec == std::errc() && parsed.ptr == end && out <= most) return {};
  return wrong(value, fmt::format("a number from 0 to {}", most));
}

Result<> set_disk_pool(Config& config, std::string_view value) {
  return set_number(value, 1024, config.disk.pool);
}

Result<> set_ready(Config& config, std::string_view value) { return set_number(value, 256, config.ready); }

Result<> set_max_sandboxes(Config& config, std::string_view value) {
  return set_number(value, 1'000'000, config.limits.max_sandboxes);
}

Result<> set_ready_memory(Config& config, std::string_view value) {
  ASSIGN_OR_RETURN(config.ready_memory, parse_bytes(value));
  return {};
}

Result<> set_disk_reserve(Config& config, std::string_view value) {
  ASSIGN_OR_RETURN(config.disk.reserve, parse_bytes(value));
  return {};
}

template <std::uint64_t LimitConfig::* kMember>
Result<> set_limit_bytes(Config& config, std::string_view value) {
  ASSIGN_OR_RETURN(config.limits.*kMember, parse_bytes(value));
  return {};
}

template <milliseconds LimitConfig::* kMember>
Result<> set_limit_time(Config& config, std::string_view value) {
  constexpr milliseconds kLeast{1000};
  constexpr milliseconds kMost{std::chrono::days(365)};
  ASSIGN_OR_RETURN(const auto time, parse_duration(value));
  if (time < kLeast || time > kMost) return wrong(value, "from 1s to 365d");
  config.limits.*kMember = time;
  return {};
}

Result<> add_listen(Config& config, std::string_view value) {
  RETURN_IF_ERROR(check_listen_address(value));
  config.server.listen.emplace_back(value);
  return {};
}

template <std::string ServerConfig::* kMember>
Result<> set_file(Config& config, std::string_view value) {
  if (!value.empty() && !is_absolute_path(value)) return wrong(value, "an absolute path");
  config.server.*kMember = value;
  return {};
}

bool is_host_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
  };
  return !text.empty() && text.size() <= 253 && std::ranges::all_of(text, allowed) &&
         !text.starts_with('.') && !text.ends_with('.');
}

Result<> add_allowed_host(Config& config, std::string_view value) {
  if (!is_host_name(value)) return wrong(value, "a host name in lower case, without a port");
  config.server.allowed_hosts.emplace_back(value);
  return {};
}

Result<> set_preview_domain(Config& config, std::string_view value) {
  if (!value.empty() && !is_host_name(value)) return wrong(value, "a host name in lower case");
  config.server.preview_domain = value;
  return {};
}

Result<> set_server_user(Config& config, std::string_view value) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  const bool is_name = !value.empty() && value.size() <= 32 && std::ranges::all_of(value, allowed) &&
                       value.front() >= 'a' && value.front() <= 'z';
  if (!is_name) return wrong(value, "the name of a system user");
  if (value == "root") return fail(Code::kInvalid, "the server has no privilege: it cannot be root");
  config.server.user = value;
  return {};
}

constexpr ConfigKey kKeys[] = {
    {"listen", "where the server listens: an address and a port, or `unix:/path`", "127.0.0.1:7717",
     add_listen, Repeat::kList},
    {"tls_certificate", "file with the server's certificate chain (PEM); with `tls_key` it speaks TLS", "",
     set_file<&ServerConfig::tls_certificate>},
    {"tls_key", "file with the certificate's key (PEM); only root needs to be able to read it", "",
     set_file<&ServerConfig::tls_key>},
    {"insecure_listen", "`yes` allows an address that others can reach without TLS", "no",
     set_insecure_listen},
    {"allowed_hosts", "names that clients may call the server by, besides those of this machine itself", "",
     add_allowed_host, Repeat::kList},
    {"preview_domain", "ports of sandboxes are reached as `<port>-<sandbox>.` and this", "",
     set_preview_domain},
    {"server_user", "whom the server runs as; made when missing", "cove", set_server_user},
    {"log_level", "the least that is logged: debug, info, warning or error", "info", set_log_level},
    {"max_sandboxes", "how many sandboxes may live at once; 0: as many as the host has room for", "0",
     set_max_sandboxes},
    {"max_memory", "how much memory all of them may have together; 0: what the host has", "0",
     set_limit_bytes<&LimitConfig::max_memory>},
    {"max_disk", "how much disk all of them may have together; 0: what the host has", "0",
     set_limit_bytes<&LimitConfig::max_disk>},
    {"max_ttl", "the longest life that a client may ask for", "14d", set_limit_time<&LimitConfig::max_ttl>},
    {"default_ttl", "a sandbox's life when nothing is asked for", "1h",
     set_limit_time<&LimitConfig::default_ttl>},
    {"default_idle_timeout", "how long a sandbox may be idle when nothing is asked for", "15m",
     set_limit_time<&LimitConfig::default_idle_timeout>},
    {"max_timeout", "the longest time that an execution or a command may ask for", "24h",
     set_limit_time<&LimitConfig::max_timeout>},
    {"default_timeout", "how long an execution may take when nothing is asked for", "60s",
     set_limit_time<&LimitConfig::default_timeout>},
    {"default_command_timeout", "how long a command may take when nothing is asked for", "30m",
     set_limit_time<&LimitConfig::default_command_timeout>},
    {"max_output", "the most output of one execution that a client may ask to be kept", "1G",
     set_limit_bytes<&LimitConfig::max_output>},
    {"workspace_roots", "a directory below which `--workspace` may be", "", add_workspace_root,
     Repeat::kLines},
    {"disk", "what sandboxes' disks are made of: auto, quota, loop or tmpfs", "auto", set_disk},
    {"disk_size", "size of a disk when none is asked for; not for tmpfs", "1G", set_disk_size},
    {"disk_pool", "how many disks of that size wait ready; for loop", "2", set_disk_pool},
    {"disk_reserve", "how much of the host's space no disk may take", "1G", set_disk_reserve},
    {"ready", "how many sandboxes of the kinds that are asked for again wait ready; 0: nothing is made ahead",
     "16", set_ready},
    {"ready_memory", "how much memory they may take together", "1G", set_ready_memory},
};

}  // namespace

std::span<const ConfigKey> config_keys() { return kKeys; }

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

}  // namespace base
