#pragma once

#include <vector>

#include "jail/plan.h"
#include "sys/fd.h"

namespace jail {

// A new network namespace with nothing but a loopback device that is up, owned by the nursery: mapped root
// inside the sandbox has no say over it. It depends on nothing else, so it can be made before it is needed.
Result<sys::UniqueFd> make_network(int nursery, const std::vector<Sysctl>& sysctls);

}  // namespace jail
