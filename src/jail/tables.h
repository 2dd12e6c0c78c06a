#pragma once

#include <span>

#include "jail/plan.h"

// The constant parts of every sandbox, as tables with a reason for each group.
namespace jail {

std::span<const Device> device_table();
std::span<const DeviceLink> device_link_table();
std::span<const char* const> hidden_proc_table();
std::span<const char* const> read_only_proc_table();
std::span<const Sysctl> user_limit_table();
std::span<const Sysctl> network_sysctl_table();
std::span<const Rlimit> rlimit_table();
std::span<const char* const> mount_point_table();

// Root mode: enough for apt, dpkg and pip to install system-wide, and nothing that reaches the kernel.
constexpr int kRootCapabilities[] = {
    0 /*CHOWN*/, 1 /*DAC_OVERRIDE*/, 3 /*FOWNER*/, 4 /*FSETID*/, 5 /*KILL*/, 6 /*SETGID*/, 7 /*SETUID*/};
// init becomes the user it starts a process as, and signals what it started.
constexpr int kInitCapabilities[] = {5 /*KILL*/, 6 /*SETGID*/, 7 /*SETUID*/};

}  // namespace jail
