#pragma once

#include <string>

#include "sys/file.h"

namespace sys {

// A directory of our own below /tmp that goes with its owner, whatever is in it by then.
class TempDir {
 public:
  static Result<TempDir> make();

  TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TempDir& operator=(TempDir&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~TempDir();

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TempDir(std::string path) : path_(std::move(path)) {}
  std::string path_;  // empty: moved away
};

}  // namespace sys
