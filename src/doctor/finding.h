// doctor: does this host have what Cove's default tier needs?
//
// `examine` reads the host's description once (host.h), then goes through tables of checks (check.h), one
// table per subject: the host itself, namespaces, mounts, processes, cgroups, kernel settings. A check is one
// of two kinds:
//   * a look reads something (a sysctl, a mount table) in this process and judges it;
//   * an attempt really does what a sandbox will do (map ids, mount an overlay over an idmapped lower, run a
//     program from a sealed memfd, …) in a child process with a mount namespace and a deadline of its own.
//     What it makes dies with the child; the one thing that cannot, a cgroup, is removed by the parent.
// No check trusts a version number alone: distributions move features back and forth, and containers take
// away what the kernel has.
//
// The parsers (host_text.h, cgroup_facts.h, environment.h) are pure, so that hosts of other kinds can be
// tested from their texts. Nothing here logs, changes a setting, or stays behind.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace doctor {

enum class Level {
  kRequired,  // the default tier does not work without it
  kAdvised,   // hardening, speed or convenience
};

enum class Status {
  kOk,
  kMissing,  // looked for or tried, and not there
  kWeak,     // there, and less than one should have
  kUnknown,  // could not be found out (not root, or the attempt took too long)
};

struct Finding {
  std::string id;  // stable; scripts may rely on it
  Level level = Level::kRequired;
  Status status = Status::kUnknown;
  std::string found;
  std::string needed;
  std::string why;
  std::string fix;
};

enum class EnvironmentKind { kBareMetal, kVirtualMachine, kContainer, kWsl1, kWsl2 };

// What kind of machine this is, and what that means for Cove.
struct Environment {
  EnvironmentKind kind = EnvironmentKind::kBareMetal;
  std::string name;     // "Docker container", "virtual machine (QEMU)", …
  std::string meaning;  // plain words; empty when there is nothing to say
};

struct Report {
  std::string kernel;  // "6.18.44"
  std::string system;  // "Debian GNU/Linux 13 (trixie)"
  Environment environment;
  std::vector<Finding> findings;  // in the order of the tables; `root` comes first

  // Every required finding is ok or weak; one that could not be found out does not count as there.
  bool default_tier_works() const;
};

struct Options {
  std::string state_directory = "/var/lib/cove";  // need not exist yet
  std::chrono::milliseconds attempt_deadline{5000};
};

Report examine(const Options& options);

std::string_view name_of(Level level);
std::string_view name_of(Status status);
std::string_view name_of(EnvironmentKind kind);

}  // namespace doctor
