#pragma once

#include "init/launch.h"

namespace init {

// A context whose process comes from outside, from the template's zygote, and finds here what connects it
// with init.
class Guest {
 public:
  static Result<Guest> expect(Leaf leaf, const wire::init::ExpectContext& context);
  // One that nobody has asked for yet: once it is in, it waits to be told what it is.
  static Result<Guest> expect_early(Leaf leaf);

  // The process with this pid is the one: into its leaf, and then it gets what is its own through the door,
  // with the filter that it is to take on. Until then it runs nobody's code.
  Result<> welcome(pid_t pid, int door, int filter);
  // Of one that came early: it becomes this context. False: it cannot any more, or not this one.
  bool become(const wire::init::ExpectContext& context);
  Launched take() { return std::move(ours_); }
  // It is not to come any more, or to go.
  void forget();

 private:
  explicit Guest(Leaf leaf) : ours_{.leaf = std::move(leaf)} {}
  // A leaf that is not used is removed.
  static Result<Guest> furnished(Leaf leaf, Result<sys::UniqueFd> belongings);
  Result<> furnish(Result<sys::UniqueFd> belongings);

  Launched ours_;
  sys::UniqueFd output_;
  sys::UniqueFd error_;
  sys::UniqueFd runtime_;
  sys::UniqueFd belongings_;  // to be read to the end: working directory and environment
  sys::UniqueFd order_;       // where an early one's are written
};

}  // namespace init
