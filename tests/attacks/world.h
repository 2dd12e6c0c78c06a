#pragma once

#include <functional>
#include <string>

namespace attacks {

// State directories of the two spawners, below the scratch directory.
constexpr const char* kProductState = "/product";
constexpr const char* kControlState = "/control";

// Runs `body` in mount, pid, ipc, uts, network and cgroup namespaces of its own, with its own /proc and an
// empty /run, and returns what it returned. Whatever is left running or mounted there ends with it: an attack
// that works has nothing but this to harm. The host's files are seen, so `scratch`, a directory that is
// removed afterwards, is where to plant things.
int run_in_scratch_world(const std::function<int(const std::string& scratch)>& body);

}  // namespace attacks
