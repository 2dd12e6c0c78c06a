#include "init/outcome.h"

#include <signal.h>

namespace init {

using base::bit;
using base::Cause;
using base::Limit;

base::Cause cause_of(const Facts& facts) {
  // What we did to the process explains its end better than how it ended.
  if (facts.timed_out) return Cause::kTimeout;
  const bool failed = facts.status.signal != 0 || facts.status.code != 0;
  if (!failed) return Cause::kOk;
  // The kernel's killer sends KILL: of several runs it took the one that ended by that.
  const bool lost_memory = facts.out_of_memory && (!facts.had_company || facts.status.signal == SIGKILL);
  if (lost_memory) return Cause::kOutOfMemory;
  if (facts.interrupted) return Cause::kInterrupted;
  if (facts.disk_full) return Cause::kDiskFull;
  if (facts.pids_exhausted && !facts.had_company) return Cause::kPidsLimit;
  return facts.status.signal != 0 ? Cause::kCrashed : Cause::kError;
}

std::uint32_t limits_hit(const Facts& facts) {
  std::uint32_t bits = 0;
  if (facts.timed_out) bits |= bit(Limit::kTime);
  if (facts.out_of_memory) bits |= bit(Limit::kMemory);
  if (facts.disk_full) bits |= bit(Limit::kDisk);
  if (facts.pids_exhausted) bits |= bit(Limit::kPids);
  if (facts.output_cut) bits |= bit(Limit::kOutput);
  return bits;
}

}  // namespace init
