#pragma once

#include <poll.h>

#include <memory>

#include "io/bell.h"

namespace io {

// Rings a bell when a descriptor is ready. The descriptor stays its owner's, who keeps it open as long as
// this lives; it becomes non-blocking.
class Watch {
 public:
  static Result<Watch> on(Loop& loop, int fd, Bell& bell);
  ~Watch();
  Watch(Watch&&) noexcept;
  Watch& operator=(Watch&&) noexcept;

  // Of POLLIN and POLLOUT. Each rings once, and again when it is wanted again.
  void want(short events);

 private:
  struct State;
  explicit Watch(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

}  // namespace io
