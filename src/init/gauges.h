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

class Gauges {
 public:
  explicit Gauges(GaugeFds fds) : fds_(fds) {}

  // Starts a run: the peak begins anew, the counters are remembered.
  Result<> begin();
  Result<bool> out_of_memory() const;  // since begin()
  Result<bool> pids_exhausted() const;
  Result<std::uint64_t> memory_peak() const;

  // What to poll for news of an out-of-memory kill, and how.
  int notify_fd() const { return fds_.oom_notify; }
  short notify_events() const;
  void acknowledge() const;

 private:
  Result<std::uint64_t> value(int fd, const char* key) const;

  GaugeFds fds_;
  std::uint64_t oom_before_ = 0;
  std::uint64_t pids_before_ = 0;
};

}  // namespace init
