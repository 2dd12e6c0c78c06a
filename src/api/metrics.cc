#include "api/metrics.h"

#include <fmt/format.h>

namespace api {

namespace {

void describe(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void tell_counts(std::string& out, std::string_view name,
                 const std::map<std::string, std::uint64_t, std::less<>>& counts) {
  for (const auto& [cause, count] : counts) out += fmt::format("{}{{cause=\"{}\"}} {}\n", name, cause, count);
}

}  // namespace

void Metrics::count_request(std::string_view pattern, unsigned status, std::chrono::microseconds took) {
  ++requests_[std::string(pattern)][status];
  Times& times = times_[std::string(pattern)];
  const double seconds = std::chrono::duration<double>(took).count();
  ++times.count;
  times.seconds += seconds;
  for (std::size_t i = 0; i < kBounds.size(); ++i) times.buckets[i] += seconds <= kBounds[i] ? 1 : 0;
}

std::string Metrics::text(const Gauges& gauges) const {
  std::string out;
  describe(out, "cove_sandboxes", "gauge", "Sandboxes that live.");
  out += fmt::format("cove_sandboxes {}\n", gauges.sandboxes);
  describe(out, "cove_sandbox_memory_limit_bytes", "gauge", "Memory that all of them may take.");
  out += fmt::format("cove_sandbox_memory_limit_bytes {}\n", gauges.memory_bytes);
  describe(out, "cove_sandbox_disk_limit_bytes", "gauge", "Disk that all of them may take.");
  out += fmt::format("cove_sandbox_disk_limit_bytes {}\n", gauges.disk_bytes);
  describe(out, "cove_http_connections", "gauge", "Connections of clients.");
  out += fmt::format("cove_http_connections {}\n", gauges.connections);
  describe(out, "cove_sandboxes_created_total", "counter", "Sandboxes made.");
  out += fmt::format("cove_sandboxes_created_total {}\n", created_);
  describe(out, "cove_sandboxes_ended_total", "counter", "Sandboxes that have ended, by cause.");
  tell_counts(out, "cove_sandboxes_ended_total", ends_);
  describe(out, "cove_executions_total", "counter", "Executions and commands that have ended, by cause.");
  tell_counts(out, "cove_executions_total", executions_);
  describe(out, "cove_http_requests_total", "counter", "Requests, by route and status.");
  for (const auto& [pattern, statuses] : requests_) {
    for (const auto& [status, count] : statuses) {
      out +=
          fmt::format("cove_http_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", pattern, status, count);
    }
  }
  describe(out, "cove_http_request_seconds", "histogram", "How long requests took, by route.");
  for (const auto& [pattern, times] : times_) {
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      out += fmt::format("cove_http_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", pattern,
                         kBounds[i], times.buckets[i]);
    }
    out += fmt::format("cove_http_request_seconds_bucket{{route=\"{}\",le=\"+Inf\"}} {}\n", pattern,
                       times.count);
    out += fmt::format("cove_http_request_seconds_sum{{route=\"{}\"}} {}\n", pattern, times.seconds);
    out += fmt::format("cove_http_request_seconds_count{{route=\"{}\"}} {}\n", pattern, times.count);
  }
  return out;
}

}  // namespace api
