#pragma once

#include <chrono>
#include <cstddef>

namespace http {

// What one client may take. Nothing here is per tenant: that is the business of whoever knows tenants.
struct Limits {
  std::size_t head_bytes = 32 << 10;
  std::size_t header_count = 100;
  std::size_t connections = 4096;  // in all; beyond, 503 and the connection is closed
  std::size_t connections_per_peer =
      256;  // of one address; loopback and unix peers are many clients and do not count
  std::size_t web_socket_message_bytes = 16 << 20;
  std::size_t drained_bytes =
      64 << 10;  // of a body that nobody read, to keep the connection; more: it is closed

  std::chrono::milliseconds head_deadline{
      10'000};  // from the first byte of a head to its last, TLS handshake included
  std::chrono::milliseconds idle{75'000};  // between two requests
  // A body that comes, or an answer that goes, slower than `bytes_per_second` for longer than `patience` ends
  // the connection. Only time spent waiting for the client counts.
  std::chrono::milliseconds patience{30'000};
  std::size_t bytes_per_second = 1024;
  std::chrono::milliseconds web_socket_idle{60'000};  // pings go out at half of it
  std::chrono::milliseconds linger{2'000};  // for the client to read a refusal before the connection goes
  std::chrono::milliseconds tick{250};      // how often deadlines are looked at
};

}  // namespace http
