#pragma once

#include "files/call.h"

namespace files {

// An archive may grow to this much, or to this many times what came of it, whichever is more.
constexpr std::uint64_t kFreelyUnpackedBytes = 64 << 20;
constexpr std::uint64_t kMostExpansion = 200;

// Unpacks an archive that an enemy may have written: all of it, or nothing of it stays. Names that are
// absolute or go up, devices, a name that comes twice and a way through a link end it; set-id bits are
// dropped; everything belongs to the user.
Result<wire::file::Done> unpack(Call& call, const wire::file::Unpack& request);

}  // namespace files
