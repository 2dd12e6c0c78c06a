#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sys/file.h"
#include "wire/file_messages.h"

namespace files {

using base::Result;
using wire::file::Links;

// Where a path leads: a name in an open directory, and what is there.
struct Place {
  sys::UniqueFd parent;               // O_PATH
  std::string name;                   // "." for the parent itself
  std::optional<struct stat> status;  // none: nothing is there

  bool is_directory() const { return status && S_ISDIR(status->st_mode); }
};

// Resolved here, link by link, and not by the kernel: a magic link of /proc (fd, root, cwd, exe, ns) leads
// out of the file system's own order and is refused, also when it is put in between by somebody who races
// with us. openat2 could say the same, but the filter of a sandbox with a host directory does not let it
// through.
Result<Place> resolve(const std::string& path, Links links);
// The same, and an error when nothing is there.
Result<Place> resolve_existing(const std::string& path, Links links);

// The parts of a path between its slashes, without those that say nothing.
std::vector<std::string> parts_of(std::string_view path);

// "a FIFO", "a directory": what a mode stands for.
std::string_view name_of_kind(mode_t mode);

// Opens a regular file and nothing else, without ever waiting for another process: what is not one is told
// before it is touched.
Result<sys::UniqueFd> open_regular(const Place& place, const std::string& path, int flags);

// On a file system that makes its files up as they are read: their size says nothing.
Result<bool> is_made_up(int fd);

}  // namespace files
