#pragma once

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/error.h"

namespace control {

// Faults that the environment asks for, at a named setup step.
class Faults {
 public:
  explicit Faults(pid_t spawner) {
    if (std::getenv("COVE_KILL_STEP") != nullptr) start_killer(spawner);
  }

  base::Result<> before(std::string_view step) const {
    if (asked_for("COVE_KILL_STEP", step)) {
      (void)!::write(killer_, "k", 1);
      // The death signal reaches the helper; pid 1 of a half-made sandbox is left to the next spawner.
      while (true) ::pause();
    }
    if (asked_for("COVE_FAIL_STEP", step)) return base::failed_call("injected", EIO);
    return {};
  }

 private:
  static bool asked_for(const char* variable, std::string_view step) {
    const char* const value = std::getenv(variable);
    return value != nullptr && value == step;
  }

  // Most steps run without any privilege over the spawner: a process that kept its own does it for them.
  void start_killer(pid_t spawner) {
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) std::abort();
    // Out of the way of the numbers that a sandbox's setup gives away.
    killer_ = ::fcntl(pipe[1], F_DUPFD_CLOEXEC, 500);
    ::close(pipe[1]);
    const pid_t child = ::fork();
    if (child < 0 || killer_ < 0) std::abort();
    if (child > 0) {
      ::close(pipe[0]);
      return;
    }
    ::close_range(0, static_cast<unsigned>(pipe[0]) - 1, 0);
    ::close_range(static_cast<unsigned>(pipe[0]) + 1, ~0U, 0);
    char byte = 0;
    if (::read(pipe[0], &byte, 1) == 1) ::kill(spawner, SIGKILL);
    ::_exit(0);
  }

  int killer_ = -1;
};

}  // namespace control
