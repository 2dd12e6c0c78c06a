#pragma once

#include <string>
#include <vector>

#include "sys/process.h"

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

// The inode of a namespace of a process, as namespace_inodes tells it.
std::string namespace_of(pid_t pid, const std::string& kind);

}  // namespace attacks
