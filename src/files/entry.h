#pragma once

#include "files/place.h"

namespace files {

// What is known about `name` in an open directory; the path is for the caller to set.
Result<wire::file::Entry> entry_of(int directory, const std::string& name, const struct stat& status);

// The path that stands in answers to a call about it: its last name.
Result<wire::file::Entry> entry_of(const Place& place);

}  // namespace files
