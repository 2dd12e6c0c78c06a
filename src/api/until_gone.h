#pragma once

#include "api/call.h"

namespace api {

// Returns when the run is over, when the time has come, or when the client is gone, whichever is first:
// nobody waits for a client that does not.
io::Task<> until_over_or_gone(CallPtr call, fleet::RunPtr run, io::Clock::time_point until);

}  // namespace api
