#pragma once

#include "files/call.h"

namespace files {

// More of a file that is made up while it is read (/proc) is not given out.
constexpr std::uint64_t kMostMadeUp = 4 << 20;

// A range of a regular file, within the size that it has when it is opened: one that grows is not followed,
// one that shrinks fails the call.
Result<wire::file::Done> read(Call& call, const wire::file::Read& request);

}  // namespace files
