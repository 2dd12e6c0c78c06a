#pragma once

#include <cstdint>
#include <map>

#include "jail/machine.h"

namespace spawner {

// The CPUs that this process may use, and what one of them is: read once, before the first request.
base::Result<jail::Host> read_host();
// When the host was started, in seconds since 1970. Asked anew for each sandbox: setting the clock moves it.
base::Result<std::int64_t> boot_time();

// How many sandboxes run on each CPU.
class CpuUse {
 public:
  explicit CpuUse(const sys::CpuNumbers& cpus);
  void add(const sys::CpuNumbers& cpus);
  // That many CPUs, those with the fewest sandboxes, ascending. More than there are is refused: a sandbox
  // that was promised more could never use it.
  base::Result<sys::CpuNumbers> least_used(unsigned count) const;

 private:
  std::map<unsigned, unsigned> sandboxes_;  // by CPU
};

}  // namespace spawner
