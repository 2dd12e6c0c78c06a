#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "doctor/finding.h"
#include "doctor/host.h"

namespace doctor {

// What a look found; it changes nothing and runs in this process.
struct Outcome {
  Status status = Status::kUnknown;
  std::string found;
  int sys_errno = 0;  // of the call that failed
};
using Look = Outcome (*)(const Host&);

// Tries the thing for real, in a child process; says what worked, or which call failed.
using Attempt = base::Result<std::string> (*)(const Host&);

// What an attempt needs to be made at all. What mounts gets a mount namespace of its own.
enum class Needs { kNothing, kRoot, kRootAndMounts };

struct Check {
  const char* id;
  Level level;
  const char* needed;
  const char* why;
  const char* fix;
  Look look = nullptr;        // either this
  Attempt attempt = nullptr;  // or this
  Needs needs = Needs::kRoot;
  void (*tidy)(const Host&) = nullptr;  // run by the parent after the attempt, however that ended
};

// One table per subject.
std::span<const Check> host_checks();
std::span<const Check> resource_checks();
std::span<const Check> namespace_checks();
std::span<const Check> mount_checks();
std::span<const Check> process_checks();
std::span<const Check> cgroup_checks();

}  // namespace doctor
