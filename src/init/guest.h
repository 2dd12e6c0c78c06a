#pragma once

#include "init/launch.h"

namespace init {

// A context that is expected: its process comes from outside, from the template's zygote, and finds here what
// connects it with init.
class Guest {
 public:
  static Result<Guest> expect(Leaf leaf, const wire::init::ExpectContext& context);

  // The process with this pid is the one: into its leaf, and then it gets what is its own through the door,
  // with the filter that it is to take on. Until then it runs nobody's code.
  Result<Launched> welcome(pid_t pid, int door, int filter);
  // It is not to come any more.
  void forget() { (void)ours_.leaf.remove(); }

 private:
  explicit Guest(Leaf leaf) : ours_{.leaf = std::move(leaf)} {}
  Result<> furnish(const wire::init::ExpectContext& context);

  Launched ours_;
  sys::UniqueFd output_;
  sys::UniqueFd error_;
  sys::UniqueFd runtime_;
  sys::UniqueFd belongings_;
};

}  // namespace init
