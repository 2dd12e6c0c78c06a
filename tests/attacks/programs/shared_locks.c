// Row E17. Whether a lock of one sandbox is felt in another: on files of the template that both are made
// from, on devices, and on a file given. Mechanism: every inode that a sandbox sees is its own: the
// overlay's, the tmpfs's. Expected: the lock is free. Usage: shared_locks hold|try FILE…
#include <fcntl.h>
#include <sys/file.h>

#include "probe.h"

static int lock_whole(const char* path, int* fd) {
  *fd = open(path, O_RDWR);
  if (*fd < 0) return 0;  // no write lock without it
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(*fd, F_OFD_SETLK, &whole);
}

static void name_of(char* name, size_t size, const char* kind, const char* path) {
  snprintf(name, size, "%s:%s", kind, path);
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  if (argc < 3) give_up("usage");
  const bool holding = strcmp(argv[1], "hold") == 0;
  for (int i = 2; i < argc; i++) {
    char name[256];
    int fd = open(argv[i], O_RDONLY);
    if (fd < 0) give_up("open(%s)", argv[i]);
    const int flocked = flock(fd, LOCK_EX | LOCK_NB);
    name_of(name, sizeof name, "flock", argv[i]);
    if (holding && flocked != 0) give_up("flock(%s)", argv[i]);
    if (!holding)
      (flocked != 0 ? probe_worked : probe_refused)(&probes, name, flocked != 0 ? "felt" : "free");
    const int locked = lock_whole(argv[i], &fd);
    if (fd < 0) continue;
    name_of(name, sizeof name, "ofd", argv[i]);
    if (holding && locked != 0) give_up("fcntl(%s)", argv[i]);
    if (!holding) (locked != 0 ? probe_worked : probe_refused)(&probes, name, locked != 0 ? "felt" : "free");
  }
  if (!holding) return probes_exit_code(&probes);
  fact("holding", "%d", argc - 2);
  fclose(stdout);
  sleep(60);
  return 0;
}
