#pragma once

#include <string>
#include <vector>

#include "sys/process.h"
#include "tests/attacks/subject.h"

namespace attacks {

// A process of the scratch world, outside of every sandbox: a victim, or a place to hide a canary in. Ends
// with its owner.
class Bystander {
 public:
  // Sleeps, as this user, under this command line.
  Bystander(uid_t user, const std::string& command_line);
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;
  ~Bystander();

  pid_t pid() const { return process_.pid; }
  bool alive() const;

 private:
  sys::Clone process_;
};

// A listener in the abstract name space of the scratch world's network namespace.
sys::UniqueFd listen_abstract(const std::string& name);

// Runs an attack program in the scratch world, outside of every sandbox, as this user of it.
Report run_outside(uid_t user, const std::string& program, const std::vector<std::string>& arguments);

// Pid 1 of a sandbox, as the scratch world counts.
pid_t init_of(const SpawnerProcess& spawner, const std::string& sandbox);

// CPU that a process has used, in microseconds, as coarse as the kernel tells it.
std::uint64_t cpu_used(pid_t pid);

// The inode of a namespace of a process, as namespace_inodes tells it.
std::string namespace_of(pid_t pid, const std::string& kind);

}  // namespace attacks
