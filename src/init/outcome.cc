#include "init/outcome.h"

#include <signal.h>

#include "sys/file.h"

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

base::Cause cause_of_execution(const Facts& facts, base::Cause otherwise) {
  if (facts.timed_out) return Cause::kTimeout;
  if (facts.status.signal == SIGKILL && facts.out_of_memory) return Cause::kOutOfMemory;
  if (facts.interrupted) return Cause::kInterrupted;
  return facts.status.signal != 0 ? Cause::kCrashed : otherwise;
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

Result<> note_limits(const Gauges& gauges, const GaugeMarks& since, Facts& facts) {
  ASSIGN_OR_RETURN(facts.out_of_memory, gauges.out_of_memory(since));
  ASSIGN_OR_RETURN(facts.pids_exhausted, gauges.pids_exhausted(since));
  ASSIGN_OR_RETURN(facts.disk_full, disk_is_full());
  return {};
}

Result<bool> disk_is_full() {
  constexpr std::uint64_t kFullBytes = 64 << 10;
  ASSIGN_OR_RETURN(const auto space, sys::free_space("/"));
  return space.bytes < kFullBytes || space.inodes == 0;
}

}  // namespace init
