#pragma once

#include "files/call.h"

namespace files {

// Replaces or creates a file at once when all of it has come, or changes one in place. A call that ends early
// leaves the file as it was, or in place: with what had been written so far.
Result<wire::file::Done> write(Call& call, const wire::file::Write& request);

}  // namespace files
