#pragma once

#include "base/paths.h"
#include "sys/system_user.h"

namespace supervisor {

using base::Result;

// The user that the server runs as, made when missing, and directories that it finds its things in:
//   <state>            searchable for it; what else is in there stays root's
//   <state>/server     its own
//   <run>, <run>/sandboxes  searchable, for the spawner's and the sandboxes' sockets
//   <run>/server       its own, for sockets that clients find by their path
Result<sys::SystemUser> make_premises(const base::Paths& paths, const std::string& user_name);

// Holds a state directory for one `cove serve`, and for the server that it starts.
class ServeLock {
 public:
  // kConflict when another serves. Waits for a server whose `cove serve` was killed.
  static Result<ServeLock> take(const base::Paths& paths);
  // For the server to inherit: it holds the lock as long as it lives.
  int fd() const { return fd_.get(); }

 private:
  explicit ServeLock(sys::UniqueFd fd) : fd_(std::move(fd)) {}
  sys::UniqueFd fd_;
};

}  // namespace supervisor
