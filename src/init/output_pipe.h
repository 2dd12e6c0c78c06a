#pragma once

#include "init/output_meter.h"
#include "sys/fd.h"

namespace init {

using base::Result;

// As large as an ordinary user may make a pipe: who goes on writing does not keep us longer than this much.
constexpr std::size_t kLargestPipe = 1 << 20;

// A chunk of what was written, and what of it is kept.
struct Written {
  std::size_t size = 0;  // 0: there is nothing now
  wire::init::Output kept;
};

// Output is never lost without a word: what cannot be read is an error. At its end the pipe is closed.
Result<Written> read_output(sys::UniqueFd& pipe, wire::init::Channel which, OutputMeter& meter);

}  // namespace init
