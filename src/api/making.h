#pragma once

#include "api/sandbox_wish.h"

namespace api {

// Makes a sandbox for the caller and enters it in the roster; its id. `unavailable` when the host has no
// room.
io::Task<std::string> make_sandbox(CallPtr call, SandboxWish wish);

}  // namespace api
