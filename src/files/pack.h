#pragma once

#include "files/call.h"

namespace files {

// A directory with everything below it as a stream. Links stay links; what has two names is packed twice.
Result<wire::file::Done> pack(Call& call, const wire::file::Pack& request);

}  // namespace files
