// For what a process can do only once, or must not do to the test itself: change its ids, leave a namespace,
// install a filter. The body runs in a forked child, and its Result comes back.
#pragma once

#include <unistd.h>

#include <functional>
#include <source_location>

#include "sys/process.h"
#include "sys/socket.h"

namespace support {

// For bodies: a statement about the child's world, by the line that makes it.
inline base::Result<> expect(bool holds, std::source_location where = std::source_location::current()) {
  if (holds) return {};
  return base::fail(base::Code::kInternal,
                    "expectation of line " + std::to_string(where.line()) + " does not hold");
}

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
