#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "http/response.h"

namespace http {

// Which names a server answers to, and whose pages may call it. `localhost`, `127.0.0.1` and `[::1]` always
// do; a page that the server itself serves always may (no other page can have an origin equal to a Host that
// passed).
struct Names {
  std::vector<std::string> hosts = {};    // "cove.example.com", "192.0.2.7", "[2001:db8::7]"; without a port
  std::vector<std::string> domains = {};  // "preview.example.com": any one label before it
  std::vector<std::string> origins = {};  // "https://console.example.com", exactly
};
// Every name has the form that a browser would send. kInvalid names the one that has not.
base::Result<> check_names(const Names& names);

// What the Host of a request names.
struct Host {
  std::string text;   // as it came, lower-case, with port
  std::string name;   // without the port
  std::string label;  // below one of `domains`: what stands before it; else empty
};

// A request is judged before anybody else looks at it, because being reachable is not being meant: a page in
// a user's browser can reach a server on loopback by a DNS name of its own (rebinding), and can send simple
// requests anywhere (forgery).
struct Admission {
  std::optional<Problem> refusal;  // 400, 403, 421
  Host host;
};
Admission admit(const Names& names, std::string_view host, std::optional<std::string_view> origin);

}  // namespace http
