#include "http/guard.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace http {

namespace {
constexpr std::array<std::string_view, 3> kLoopback = {"localhost", "127.0.0.1", "[::1]"};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return lower;
}

bool is_label(std::string_view text) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && text.size() <= 63 && std::ranges::all_of(text, allowed);
}

bool is_host_name(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  while (true) {
    const auto dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_bracketed_ipv6(std::string_view text) {
  if (text.size() < 4 || !text.starts_with('[') || !text.ends_with(']')) return false;
  in6_addr bytes{};
  return ::inet_pton(AF_INET6, std::string(text.substr(1, text.size() - 2)).c_str(), &bytes) == 1;
}

// The name in front of an optional port; nothing when it is neither a name nor an address.
std::optional<std::string_view> name_of_host(std::string_view text) {
  const auto colon = text.find(':', text.starts_with('[') ? std::min(text.find(']'), text.size()) : 0);
  const std::string_view name = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (port.empty() || port.size() > 5 || !std::ranges::all_of(port, digit)) return std::nullopt;
    if (port.size() == 5 && port > "65535") return std::nullopt;
  }
  if (!is_host_name(name) && !is_bracketed_ipv6(name)) return std::nullopt;
  return name;
}

std::optional<std::string> label_below(std::string_view name, const std::vector<std::string>& domains) {
  for (const std::string& domain : domains) {
    if (name.size() <= domain.size() + 1 || !name.ends_with(domain)) continue;
    const std::string_view before = name.substr(0, name.size() - domain.size());
    if (before.ends_with('.') && is_label(before.substr(0, before.size() - 1)))
      return std::string(before.substr(0, before.size() - 1));
  }
  return std::nullopt;
}

std::optional<Problem> judge_origin(const Names& names, const Host& host, std::string_view origin) {
  // What is served below a preview domain is a program of a user's own, and so are the rules for its callers.
  if (!host.label.empty()) return std::nullopt;
  if (std::ranges::find(names.origins, origin) != names.origins.end()) return std::nullopt;
  if (origin == "http://" + host.text || origin == "https://" + host.text) return std::nullopt;
  return Problem{403, "forbidden", "pages of this origin may not call this server",
                 "call it from a program, or add the origin to those that the server allows"};
}
}  // namespace

base::Result<> check_names(const Names& names) {
  const auto wrong = [](const std::string& name, std::string_view form) {
    return base::fail(base::Code::kInvalid, "'" + name + "' is not " + std::string(form));
  };
  for (const std::string& host : names.hosts)
    if (name_of_host(host) != host)
      return wrong(host, "a host name or address in lower case, without a port");
  for (const std::string& domain : names.domains)
    if (!is_host_name(domain)) return wrong(domain, "a domain in lower case, like preview.example.com");
  for (const std::string& origin : names.origins) {
    const auto after = origin.find("://");
    const auto scheme = std::string_view(origin).substr(0, after);
    const bool good = after != std::string::npos && (scheme == "http" || scheme == "https") &&
                      name_of_host(std::string_view(origin).substr(after + 3)).has_value();
    if (!good) return wrong(origin, "an origin in lower case, like https://console.example.com");
  }
  return {};
}

Admission admit(const Names& names, std::string_view host, std::optional<std::string_view> origin) {
  Admission admission;
  admission.host.text = lower_case(host);
  const auto name = name_of_host(admission.host.text);
  if (!name) {
    admission.refusal = Problem{400, "invalid_request", "the Host header is missing or malformed",
                                "HTTP/1.1 clients name the server in it"};
    return admission;
  }
  admission.host.name = *name;
  const bool known = std::ranges::find(kLoopback, *name) != kLoopback.end() ||
                     std::ranges::find(names.hosts, *name) != names.hosts.end();
  if (!known) {
    const auto label = label_below(*name, names.domains);
    if (!label) {
      admission.refusal =
          Problem{421, "misdirected", "this server does not answer to '" + std::string(*name) + "'",
                  "call it by a name it knows, or add this one to the host names that it allows"};
      return admission;
    }
    admission.host.label = *label;
  }
  if (origin) admission.refusal = judge_origin(names, admission.host, lower_case(*origin));
  return admission;
}

}  // namespace http
