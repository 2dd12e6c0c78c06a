#pragma once

#include <string>
#include <vector>

namespace supervisor {

// The systemd unit that runs this command line. It takes away what neither the spawner nor a sandbox needs;
// what a unit could take away besides, sandboxes would lack (host names, setuid files of packages, code made
// at run time). At its end systemd signals `cove serve` alone: sandboxes are not the unit's to kill.
std::string systemd_unit(const std::vector<std::string>& command);

}  // namespace supervisor
