#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sys/process.h"
#include "sys/system_user.h"

namespace sys {

// A program that is to live beside us: in a session of its own, without input, in "/", under umask 077.
struct ProgramStart {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  int output = 2;        // becomes its stdout and stderr
  std::vector<int> fds;  // become 3, 4, …; it has no others
  // Whom to become, with no capability and no way to gain one; none: it stays what we are.
  std::optional<SystemUser> user;
};

struct Started {
  pid_t pid = 0;
  UniqueFd pidfd;
};

// Returns when the program runs; what failed before that is the error.
Result<Started> start_program(const ProgramStart& start);

}  // namespace sys
