#pragma once

#include <sys/types.h>

#include <vector>

#include "base/error.h"

namespace sys {

// Numbers of CPUs, ascending.
using CpuNumbers = std::vector<unsigned>;

// On which CPUs a process may run; 0: this one.
base::Result<CpuNumbers> cpus_of(pid_t pid);
// This process, and whatever it starts, runs on these alone.
base::Result<> run_on(const CpuNumbers& cpus);

}  // namespace sys
