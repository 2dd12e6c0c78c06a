#pragma once

#include <memory>

#include "io/loop.h"

namespace io {

// Wakes tasks that wait for something to change. Like a condition variable, it carries nothing: whoever is
// woken looks for himself. Looking and then waiting is safe, because nothing else runs in between.
class Bell {
 public:
  explicit Bell(Loop& loop);

  // Everybody who waits now.
  void ring();
  // kTimeout: the deadline came first. May outlive the bell; then only the deadline wakes.
  Task<> wait(Deadline until = std::nullopt);
  bool is_awaited() const;

 private:
  struct State;
  static Task<> wait_with(std::shared_ptr<State> state, Deadline until);

  std::shared_ptr<State> state_;
};

}  // namespace io
