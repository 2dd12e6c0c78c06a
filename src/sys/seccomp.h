#pragma once

#include <linux/filter.h>

#include <span>

#include "sys/file.h"

namespace sys {

// Adds a filter to this process for good. Needs no-new-privileges or CAP_SYS_ADMIN in its user namespace.
Result<> install_seccomp_filter(std::span<const sock_filter> program);

}  // namespace sys
