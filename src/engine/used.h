#pragma once

#include <chrono>
#include <functional>

#include "engine/streams.h"

namespace engine {

// What the processes that live in a sandbox have used of its CPUs so far. Told later, or never, when the
// sandbox does not say.
void ask_used(Streams& streams, std::function<void(std::chrono::microseconds)> told);

}  // namespace engine
