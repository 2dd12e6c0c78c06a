#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "sys/file.h"

namespace init {

using base::Result;

// What all processes of a group, and of those below it, have used.
Result<std::uint64_t> cpu_microseconds(int group);

// One process and everything it ever forks, in a cgroup of its own below the sandbox's: a kill of the leaf is
// complete, whatever the processes do to hide (new session, double fork, ignored signals).
class Leaf {
 public:
  // `group` is the sandbox's directory in the unified hierarchy, which belongs to init.
  static Result<Leaf> make(int group, const std::string& name);

  int directory() const { return directory_.get(); }
  // `group` is the process group of the leaf's first process: one kill takes it whole, even while it forks.
  Result<> signal_all(int signal, pid_t group) const;
  Result<> kill_all() const;
  // Moves a process here that was not born here.
  Result<> take_in(pid_t pid) const;
  Result<std::uint64_t> cpu_microseconds() const { return init::cpu_microseconds(directory_.get()); }
  // False while processes are left in it.
  bool remove();

 private:
  Leaf(int group, std::string name, sys::UniqueFd directory)
      : group_(group), name_(std::move(name)), directory_(std::move(directory)) {}

  int group_;
  std::string name_;
  sys::UniqueFd directory_;
};

}  // namespace init
