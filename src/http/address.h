#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace http {

// Where a server listens: "127.0.0.1:7717", "[::1]:0", "unix:/run/cove/api.sock". Names are not looked up:
// `localhost` alone is known, as 127.0.0.1.
struct Address {
  enum class Kind { kIpv4, kIpv6, kUnix };
  Kind kind = Kind::kIpv4;
  std::string host;        // an IP address, or the path of a socket
  std::uint16_t port = 0;  // 0: the kernel chooses

  static base::Result<Address> parse(std::string_view text);
  // As parse() reads it.
  std::string text() const;
  // Whether only this machine can reach it.
  bool is_local() const;
};

}  // namespace http
