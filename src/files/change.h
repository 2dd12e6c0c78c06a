#pragma once

#include "files/call.h"

namespace files {

// What changes names and modes. None of these follows a symbolic link at the end of a path but set_mode, and
// make_directory when the directory is there already.
Result<wire::file::Done> make_directory(const wire::file::MakeDirectory& request);
Result<wire::file::Done> move(const wire::file::Move& request);
Result<wire::file::Done> set_mode(const wire::file::SetMode& request);
Result<wire::file::Done> make_symlink(const wire::file::MakeSymlink& request);

// The directories above a path, where they are missing.
Result<> make_parents_of(const std::string& path);

}  // namespace files
