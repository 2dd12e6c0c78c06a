// For what a process can do only once, or must not do to the test itself: change its ids, leave a namespace,
// install a filter. The body runs in a forked child, and its Result comes back.
#pragma once

#include <unistd.h>

#include <functional>

#include "sys/process.h"
#include "sys/socket.h"

// For bodies: a statement about the child's world, or the end of it with the words of the statement.
#define CHILD_EXPECT(...) \
  if (!(__VA_ARGS__)) return base::fail(base::Code::kInternal, "does not hold: " #__VA_ARGS__)

namespace support {

inline base::Result<> in_child(const std::function<base::Result<>()>& body, sys::CloneOptions options = {}) {
  ASSIGN_OR_RETURN(auto pipe, sys::make_pipe());
  ASSIGN_OR_RETURN(const auto child, sys::clone_process(options));
  if (child.is_child()) {
    const auto done = body();
    if (!done) (void)sys::write_all(pipe.write.get(), done.error().message);
    ::_exit(done ? 0 : 1);
  }
  pipe.write.reset();
  ASSIGN_OR_RETURN(const auto message, sys::read_all(pipe.read.get()));
  ASSIGN_OR_RETURN(const auto status, sys::wait_pidfd(child.pidfd.get()));
  if (status.signal != 0)
    return base::fail(base::Code::kInternal, "killed by signal " + std::to_string(status.signal));
  if (status.code != 0) return base::fail(base::Code::kInternal, message);
  return {};
}

}  // namespace support
