#pragma once

#include <cstdint>

#include "base/error.h"

namespace init {

using base::Result;

// The sandbox's meters, read through descriptors that the spawner opened.
struct GaugeFds {
  int oom = -1;
  int oom_notify = -1;
  int memory_peak = -1;
  int pids = -1;
};

// What the counters of the whole sandbox said when something began.
struct GaugeMarks {
  std::uint64_t oom_kills = 0;
  std::uint64_t pids_refusals = 0;
};

class Gauges {
 public:
  explicit Gauges(GaugeFds fds) : fds_(fds) {}

  Result<GaugeMarks> marks() const;
  // The peak begins anew, for whoever runs from now on.
  Result<> reset_peak() const;
  Result<bool> out_of_memory(const GaugeMarks& since) const;
  Result<bool> pids_exhausted(const GaugeMarks& since) const;
  Result<std::uint64_t> memory_peak() const;

  // What to poll for news of an out-of-memory kill, and how.
  int notify_fd() const { return fds_.oom_notify; }
  short notify_events() const;
  void acknowledge() const;

 private:
  Result<std::uint64_t> value(int fd, const char* key) const;

  GaugeFds fds_;
};

}  // namespace init
