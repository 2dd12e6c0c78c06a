#pragma once

#include <initializer_list>

#include "sys/file.h"

namespace sys {

// Blocks these signals and gives a descriptor that becomes readable when one arrives (signalfd).
Result<UniqueFd> watch_signals(std::initializer_list<int> signals);

// The number of the next signal on such a descriptor; 0 when there is none.
int next_signal(int fd);

}  // namespace sys
