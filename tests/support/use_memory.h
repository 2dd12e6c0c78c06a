// A process that takes memory in a group, more than it may if need be.
#pragma once

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys/cgroup.h"
#include "sys/process.h"
#include "sys/socket.h"
#include "tests/support/throwaway_cgroups.h"

namespace support {

constexpr sys::CgroupLimits kTight{.memory_bytes = 24 << 20, .max_pids = 64, .cpu_millis = 2000};
constexpr std::size_t kTooMuch = 96 << 20;

// Enters the group, takes this much and ends, by itself or not.
[[noreturn]] inline void use_memory_and_exit(const sys::CgroupGroup& group, std::size_t bytes) {
  for (const auto& procs : group.join) {
    if (!sys::write_all(procs.get(), "0")) ::_exit(2);
  }
  void* memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  ::_exit(memory == MAP_FAILED ? 3 : 0);
}

inline sys::ExitStatus use_memory(const sys::CgroupGroup& group, std::size_t bytes) {
  const auto child = sys::clone_process({.cgroup = group.unified.get()}).value();
  if (child.is_child()) use_memory_and_exit(group, bytes);
  return sys::wait_pidfd(child.pidfd.get()).value();
}

// One that lives in the group until it is told to take too much.
struct MemoryEater {
  sys::Clone process;
  sys::UniqueFd word;

  static MemoryEater in(const sys::CgroupGroup& group) {
    auto pipe = sys::make_pipe().value();
    auto process = sys::clone_process({.cgroup = group.unified.get()}).value();
    if (process.is_child()) {
      pipe.write.reset();
      char byte = 0;
      if (::read(pipe.read.get(), &byte, 1) != 1) ::_exit(1);
      use_memory_and_exit(group, kTooMuch);
    }
    return {.process = std::move(process), .word = std::move(pipe.write)};
  }

  // Returns when it has ended; who reaps it is another question.
  void eat() {
    // A byte and not the end of the pipe: others that were born after it hold that open.
    (void)sys::write_all(word.get(), "x");
    pollfd end{.fd = process.pidfd.get(), .events = POLLIN, .revents = 0};
    (void)::poll(&end, 1, -1);
  }
};

}  // namespace support
