#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

// What tells runtimes how much memory they have. They would look for a cgroup, which a sandbox does not see,
// and then ask the kernel for the memory of the whole machine.
std::vector<std::string> runtime_environment(std::uint64_t memory_bytes);

}  // namespace engine
