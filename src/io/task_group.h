#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/loop.h"

namespace io {

// Tasks that run beside whoever started them. A task that fails tells the group's owner; one that is
// cancelled does not. The owner closes the group before what its tasks use is gone.
class TaskGroup {
 public:
  using OnFailure = std::function<void(std::string_view name, const base::Error& error)>;

  TaskGroup(Loop& loop, OnFailure on_failure);
  // Cancels what is left; close() also waits for it.
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // After close() nothing is started any more: the task is dropped.
  void spawn(std::string name, Task<> task);
  void cancel();
  // Cancels everything, and returns when all of it has ended.
  Task<> close();
  std::size_t size() const;

 private:
  struct State;
  static void cancel_all(State& state);
  static Task<> close_all(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace io
