#include "base/listen_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace base {

namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::size_t kLongestPath = 107;  // of sun_path, without its end

struct HostAndPort {
  std::string host;  // without brackets
  bool is_v6 = false;
  std::string_view port;
};

std::optional<HostAndPort> split(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  HostAndPort parts{.host = std::string(text.substr(0, colon)), .port = text.substr(colon + 1)};
  if (parts.host.starts_with('[') && parts.host.ends_with(']')) {
    parts.host = parts.host.substr(1, parts.host.size() - 2);
    parts.is_v6 = true;
  }
  return parts;
}

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_host(const HostAndPort& parts) {
  in6_addr address{};
  if (parts.is_v6) return ::inet_pton(AF_INET6, parts.host.c_str(), &address) == 1;
  return parts.host == "localhost" || ::inet_pton(AF_INET, parts.host.c_str(), &address) == 1;
}

bool has_control_character(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return true;
  }
  return false;
}

}  // namespace

Result<> check_listen_address(std::string_view text) {
  if (text.starts_with(kUnix)) {
    const std::string_view path = text.substr(kUnix.size());
    const bool is_path = path.starts_with('/') && path.size() > 1 && path.size() <= kLongestPath;
    if (is_path && !has_control_character(path)) return {};
    return fail(Code::kInvalid, fmt::format("'{}': unix: is followed by an absolute path of at most {} bytes",
                                            text, kLongestPath));
  }
  const auto parts = split(text);
  if (parts && is_host(*parts) && is_port(parts->port)) return {};
  return fail(
      Code::kInvalid,
      fmt::format("'{}' is no address to listen on; write 127.0.0.1:7717, [::1]:7717 or unix:/path", text));
}

bool is_local_address(std::string_view text) {
  if (text.starts_with(kUnix)) return true;
  const auto parts = split(text);
  if (!parts) return false;
  if (parts->is_v6) {
    in6_addr address{};
    return ::inet_pton(AF_INET6, parts->host.c_str(), &address) == 1 && IN6_IS_ADDR_LOOPBACK(&address);
  }
  return parts->host == "localhost" || parts->host.starts_with("127.");
}

}  // namespace base
