#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace api {

// What is counted, for Prometheus. Used on the loop alone. Labels are patterns and names of ours, never what
// a client sent, so their number is bounded.
class Metrics {
 public:
  void count_request(std::string_view pattern, unsigned status, std::chrono::microseconds took);
  void count_sandbox_end(std::string_view cause) { ++ends_[std::string(cause)]; }
  void count_sandbox_created() { ++created_; }
  void count_execution(std::string_view cause) { ++executions_[std::string(cause)]; }

  // What stands still is given; everything in the text format.
  struct Gauges {
    std::size_t sandboxes = 0;
    std::uint64_t memory_bytes = 0;
    std::uint64_t disk_bytes = 0;
    std::size_t connections = 0;
  };
  std::string text(const Gauges& gauges) const;

 private:
  static constexpr std::array<double, 8> kBounds{0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 10};
  struct Times {
    std::array<std::uint64_t, kBounds.size()> buckets{};
    std::uint64_t count = 0;
    double seconds = 0;
  };

  std::map<std::string, std::map<unsigned, std::uint64_t>, std::less<>> requests_;  // by pattern and status
  std::map<std::string, Times, std::less<>> times_;
  std::map<std::string, std::uint64_t, std::less<>> ends_;
  std::map<std::string, std::uint64_t, std::less<>> executions_;
  std::uint64_t created_ = 0;
};

}  // namespace api
