#pragma once

#include <string>

#include "sys/file.h"

namespace sys {

// Removes the directory or file at `path` with everything below it. Works by descriptors, follows no symbolic
// link, stays on the file system it starts on, and needs the same few descriptors however deep the tree is.
// What is gone already, also by somebody else's hand meanwhile, is fine.
Result<> delete_tree(const std::string& path);

// Removes everything inside an open directory, but not the directory.
Result<> empty_directory(int directory);

}  // namespace sys
