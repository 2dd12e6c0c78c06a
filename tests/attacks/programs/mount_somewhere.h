// A mount on a new directory of our own, taken away again at once.
#pragma once

#include <sys/mount.h>

#include "probe.h"

struct mounting {
  const char* source;
  const char* type;
  unsigned long flags;
  const char* options;
};

// For probe_in_child.
static inline long mount_somewhere(const void* argument) {
  const struct mounting* mounting = argument;
  char directory[] = "/tmp/mount_somewhere_XXXXXX";
  if (mkdtemp(directory) == NULL) give_up("mkdtemp");
  const int result = mount(mounting->source, directory, mounting->type, mounting->flags, mounting->options);
  const int error = errno;
  if (result == 0) umount2(directory, MNT_DETACH);
  rmdir(directory);
  errno = error;
  return result;
}
