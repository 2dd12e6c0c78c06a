#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "http/address.h"
#include "sys/fd.h"

namespace http {

struct Listener {
  sys::UniqueFd fd;  // non-blocking
  Address address;   // with the port that the kernel chose
};
// A unix socket to which nobody listens is replaced. kConflict: the address is taken.
base::Result<Listener> open_listener(const Address& address);

struct Accepted {
  sys::UniqueFd fd;  // non-blocking
  int family = 0;
  std::string peer;         // an IP address, or "unix"
  bool is_counted = false;  // by its address: not on loopback, where one address is many clients
};
// Nothing: nobody waits.
base::Result<std::optional<Accepted>> accept_client(int listener);

}  // namespace http
