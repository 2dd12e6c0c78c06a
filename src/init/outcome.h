#pragma once

#include <cstdint>

#include "base/cause.h"
#include "base/error.h"
#include "init/gauges.h"
#include "sys/process.h"

namespace init {

using base::Result;

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
// Of an execution in a context: `otherwise` when nothing that we know of explains its end. Whether its code
// failed is for the runtime to say.
base::Cause cause_of_execution(const Facts& facts, base::Cause otherwise);
std::uint32_t limits_hit(const Facts& facts);

// Fills in which limits were reached since then. An error: no cause at all is better than a wrong one.
Result<> note_limits(const Gauges& gauges, const GaugeMarks& since, Facts& facts);

// Of the sandbox's disk, now: so little is left that nobody can do anything useful with it any more.
Result<bool> disk_is_full();

}  // namespace init
