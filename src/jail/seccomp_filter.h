#pragma once

#include <linux/filter.h>

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "jail/seccomp_table.h"

namespace jail {

// The profile's policy as one BPF program. To be installed after abi_gate().
base::Result<std::vector<sock_filter>> build_filter(SeccompProfile profile);

// Kills what does not speak the x86-64 ABI (i386 has calls whose arguments lie behind pointers) and answers
// the x32 numbers with ENOSYS. A program of its own: of several installed filters the strictest answer
// counts, so no later filter can soften it.
std::vector<sock_filter> abi_gate();

// Names a program in reports: the first 16 hex digits of the SHA-256 of its bytes.
std::string filter_hash(std::span<const sock_filter> program);

}  // namespace jail
