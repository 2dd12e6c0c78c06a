#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

namespace http {

// What one exchange came to; told at its end. Views are valid during the call.
struct AccessRecord {
  std::string_view request_id;
  std::string_view method;  // empty: no request could be read
  std::string_view path;    // raw, without the query: that may hold a signature
  std::string_view peer;
  unsigned status = 0;  // 0: the client left without an answer
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::chrono::microseconds took{0};
  std::string_view error;  // what the handler returned, or why the connection was cut; empty: nothing
};
using AccessLog = std::function<void(const AccessRecord&)>;

}  // namespace http
