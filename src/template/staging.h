#pragma once

#include <string>

#include "sys/fd.h"
#include "template/rules.h"

namespace templates {

// A directory <builds>/<name>.<random> that belongs to one builder, who holds a lock on the file `lock` in it
// as long as it lives. It goes with its owner; what a killed builder left is found by its free lock.
class Staging {
 public:
  static Result<Staging> create(const std::string& builds, const std::string& name);
  Staging(Staging&&) = default;
  Staging& operator=(Staging&&) = delete;
  ~Staging();

  const std::string& path() const { return path_; }
  // The tree while it is made; not there yet.
  std::string root() const { return path_ + "/root"; }
  // What becomes the template's directory: root and meta go in there last. Made empty, 0700.
  std::string product() const { return path_ + "/product"; }
  // Given to child processes, it keeps the directory guarded until the last of them is gone too.
  int lock() const { return lock_.get(); }

 private:
  Staging(std::string path, sys::UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  sys::UniqueFd lock_;
};

// Removes what killed builders left in <builds>, and trash.
Result<> sweep_builds(const std::string& builds);

// 16 random hex digits, for names that must not clash.
std::string random_suffix();

}  // namespace templates
