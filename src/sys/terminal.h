#pragma once

#include <sys/types.h>

#include <cstdint>

#include "sys/file.h"

namespace sys {

// A pseudo-terminal: what is written to one side is read from the other, by the rules of a terminal.
struct Terminal {
  UniqueFd ours;
  UniqueFd theirs;
};

// Its device belongs to `owner`. Not thread-safe: the calling process acts as the owner for a moment.
Result<Terminal> open_terminal(uid_t owner);
// Whoever is in front there is told by SIGWINCH.
Result<> set_window(int terminal, std::uint16_t rows, std::uint16_t columns);
// Becomes the controlling terminal of the session that the caller leads.
Result<> take_terminal(int terminal);

}  // namespace sys
