#pragma once

#include "files/call.h"

namespace files {

// Changes in a directory, or in a whole tree with its new directories, as they happen. Whoever takes them too
// slowly is told that some were lost, and nothing grows meanwhile.
Result<wire::file::Done> watch(Call& call, const wire::file::Watch& request);

}  // namespace files
