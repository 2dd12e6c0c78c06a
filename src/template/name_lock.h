#pragma once

#include <string>

#include "sys/fd.h"
#include "template/progress.h"

namespace templates {

// One builder at a time per template name. The file <builds>/<name>.lock names the holder's pid and goes with
// the lock.
class NameLock {
 public:
  // Waits while another process builds this name, and says so.
  static Result<NameLock> acquire(const std::string& builds, const std::string& name, Progress& progress,
                                  const Cancel& cancel);
  NameLock(NameLock&&) = default;
  NameLock& operator=(NameLock&&) = delete;
  ~NameLock();

 private:
  NameLock(std::string path, sys::UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  sys::UniqueFd lock_;
};

}  // namespace templates
