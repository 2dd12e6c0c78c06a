#pragma once

#include "engine/file_changes.h"

namespace engine {

// What list_tree would find in a directory of a sandbox that nothing has run in yet, from where the same
// files lie on this side: `path` below `root`. Asking the sandbox costs a process in it; this costs a few
// calls. Follows no link, and says the same of noise and bounds.
Result<Listing> list_known_tree(const std::string& root, const std::string& path);

}  // namespace engine
