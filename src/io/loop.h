#pragma once

#include <functional>
#include <vector>

#include "io/task.h"

namespace io {

// The event loop. One thread runs it.
class Loop {
 public:
  boost::asio::io_context& context() { return context_; }

  // Until stop(), or until nothing is left to wait for.
  void run() { context_.run(); }
  // From any thread, like post().
  void stop() { context_.stop(); }
  void post(std::move_only_function<void()> work);

  Task<> sleep_until(Clock::time_point when);

 private:
  boost::asio::io_context context_{1};
};

// Signals that end or change a program, taken as they come. They are blocked for nobody else.
Task<int> next_signal(Loop& loop, std::vector<int> numbers);

}  // namespace io
