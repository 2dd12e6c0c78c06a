#pragma once

#include "files/place.h"

namespace files {

// A tree that is put together aside, in the directory where it is to appear, and joins that directory only
// when it is whole. Otherwise nothing of it stays. Paths in it are made of parts that no link stands behind:
// a link that was put in is never followed.
class Staging {
 public:
  static Result<Staging> make(int directory);
  Staging(Staging&& other) noexcept;
  Staging& operator=(Staging&&) = delete;
  ~Staging();

  int top() const { return top_.get(); }
  // The directory that is to hold the last part, made where it is missing. Adds to `made`.
  Result<sys::UniqueFd> parent_of(const std::vector<std::string>& parts, std::uint64_t& made) const;
  // Directories join those that are there; what is in the way of something else stops it before anything has
  // moved.
  Result<> join(wire::file::Existing existing) const;

 private:
  Staging(int directory, std::string name, sys::UniqueFd top)
      : directory_(directory), name_(std::move(name)), top_(std::move(top)) {}

  int directory_;
  std::string name_;  // empty: moved away
  sys::UniqueFd top_;
};

}  // namespace files
