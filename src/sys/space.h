#pragma once

#include <cstdint>

#include "sys/file.h"

namespace sys {

// Whether a directory's files lie in memory: tmpfs, ramfs.
Result<bool> is_in_memory(int directory);
// Reserves the file's whole extent on its file system: writing to it later cannot fail for want of space.
Result<> allocate(int file, std::uint64_t bytes);
// Copies what the file holds and leaves out its holes; `to` is as large already, and reads as zeros there.
Result<> copy_data(int from, int to);
// How many files and directories its file system holds.
Result<std::uint64_t> used_inodes(int directory);
// Tells a file system that nothing written to it matters any more: its end then waits for no writing-back.
Result<> abandon_file_system(int directory);

}  // namespace sys
