#pragma once

#include <sys/types.h>

#include "base/error.h"

namespace spawner {

// Whether forks of this process can be contexts of their own: it has one thread, because others would be
// missing in a fork, and what they had locked would stay locked; no memory that forks would share with it and
// with one another, across sandboxes; and no descriptor but its input, outputs and channel, because a fork
// keeps none. The error says which a package has left behind.
base::Result<> check_forkable(pid_t pid);

}  // namespace spawner
