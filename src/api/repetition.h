#pragma once

#include <string>

#include "api/call.h"

namespace api {

// Runs the handler of a call that has an Idempotency-Key at most once: whoever comes again with the same key
// and request gets the first one's answer. A call that failed in a way that may pass is forgotten.
io::Task<> run_once(CallPtr call, std::string key, std::string body);

}  // namespace api
