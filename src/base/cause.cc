#include "base/cause.h"

namespace base {

std::string_view name_of(Cause cause) {
  switch (cause) {
    case Cause::kOk:
      return "ok";
    case Cause::kError:
      return "error";
    case Cause::kInterrupted:
      return "interrupted";
    case Cause::kTimeout:
      return "timeout";
    case Cause::kOutOfMemory:
      return "out_of_memory";
    case Cause::kCrashed:
      return "crashed";
    case Cause::kDiskFull:
      return "disk_full";
    case Cause::kPidsLimit:
      return "pids_limit";
    case Cause::kCancelled:
      return "cancelled";
    case Cause::kContextLost:
      return "context_lost";
    case Cause::kSandboxEnded:
      return "sandbox_ended";
  }
  return "error";
}

std::string_view name_of(Limit limit) {
  switch (limit) {
    case Limit::kTime:
      return "time";
    case Limit::kMemory:
      return "memory";
    case Limit::kDisk:
      return "disk";
    case Limit::kPids:
      return "pids";
    case Limit::kOutput:
      return "output";
  }
  return "time";
}

}  // namespace base
