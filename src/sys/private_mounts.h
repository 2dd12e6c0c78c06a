#pragma once

#include "sys/file.h"

namespace sys {

// Moves this process into a mount namespace of its own, in which / is the root of the namespace: what the
// host mounts later shows here, what is mounted here does not show there. Also from within a chroot, whose /
// is no mount: then the chroot becomes the whole namespace.
Result<> enter_private_mounts();

}  // namespace sys
