#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

// What tells runtimes how much memory they have. They would look for a cgroup, which a sandbox does not see,
// and then ask the kernel for the memory of the whole machine.
std::vector<std::string> runtime_environment(std::uint64_t memory_bytes);

// NAME=VALUE each; of two with the same name the later one counts.
void set_variables(std::vector<std::string>& environment, const std::vector<std::string>& entries);

}  // namespace engine
