#pragma once

#include "files/call.h"

namespace files {

// What lies in a directory, and below it to the wanted depth. A directory that may not be read stands there
// without what is in it, and so does one whose path is too long for any call to name what is in it.
Result<wire::file::Done> list(Call& call, const wire::file::List& request);

}  // namespace files
