#pragma once

#include "files/call.h"

namespace files {

// A file, a link, an empty directory; or a whole tree, however deep, that does not leave its file system.
Result<wire::file::Done> remove(Call& call, const wire::file::Remove& request);

// Everything below an open directory.
Result<std::uint64_t> remove_below(int directory, const std::string& path, Call* call);

}  // namespace files
