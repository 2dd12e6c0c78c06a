#include "http/address.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include <charconv>

namespace http {

namespace {
std::unexpected<base::Error> wrong(std::string_view text, std::string_view why) {
  return base::fail(base::Code::kInvalid,
                    "address '" + std::string(text) + "': " + std::string(why) +
                        "; write it like 127.0.0.1:7717, [::1]:7717 or unix:/run/cove/api.sock");
}

base::Result<Address> parse_unix(std::string_view text) {
  const std::string_view path = text.substr(5);
  if (!path.starts_with('/')) return wrong(text, "the path of a socket begins with a slash");
  if (path.find('\0') != std::string_view::npos) return wrong(text, "the path holds a NUL");
  if (path.size() >= sizeof(sockaddr_un::sun_path)) return wrong(text, "the path is longer than 107 bytes");
  return Address{Address::Kind::kUnix, std::string(path), 0};
}
}  // namespace

base::Result<Address> Address::parse(std::string_view text) {
  if (text.starts_with("unix:")) return parse_unix(text);
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong(text, "the port is missing");
  std::string host(text.substr(0, colon));
  const std::string_view port = text.substr(colon + 1);
  Address address;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc{} || end != port.data() + port.size())
    return wrong(text, "the port is a number up to 65535");
  if (host.starts_with('[') && host.ends_with(']')) {
    address.kind = Kind::kIpv6;
    host = host.substr(1, host.size() - 2);
  }
  if (host == "localhost") host = "127.0.0.1";
  in6_addr bytes{};
  const int family = address.kind == Kind::kIpv6 ? AF_INET6 : AF_INET;
  if (host.find('\0') != std::string::npos || ::inet_pton(family, host.c_str(), &bytes) != 1)
    return wrong(text, "the host is an IP address; names are not looked up");
  address.host = std::move(host);
  return address;
}

std::string Address::text() const {
  if (kind == Kind::kUnix) return "unix:" + host;
  const std::string bracketed = kind == Kind::kIpv6 ? "[" + host + "]" : host;
  return bracketed + ":" + std::to_string(port);
}

bool Address::is_local() const {
  return kind == Kind::kUnix || (kind == Kind::kIpv4 && host.starts_with("127.")) ||
         (kind == Kind::kIpv6 && host == "::1");
}

}  // namespace http
