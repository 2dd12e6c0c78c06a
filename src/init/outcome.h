#pragma once

#include <cstdint>

#include "base/cause.h"
#include "sys/process.h"

namespace init {

// Everything known at the end of a run.
struct Facts {
  sys::ExitStatus status;
  bool timed_out = false;    // the deadline fired before the end
  bool interrupted = false;  // the engine sent a signal
  bool had_company = false;  // the limits below may have been reached by another run
  bool out_of_memory = false;
  bool pids_exhausted = false;
  bool disk_full = false;
  bool output_cut = false;
};

// The one cause. A limit counts as the cause only when the run then failed; limits_hit() lists it anyway.
base::Cause cause_of(const Facts& facts);
std::uint32_t limits_hit(const Facts& facts);

}  // namespace init
