// Row C16. Runs code from where none may run: a copy of this program on /dev/shm, executed and mapped, and a
// script there; a file of /proc; and takes more of /dev/shm than it has. Mechanism: noexec on /proc, /dev,
// /sys and /dev/shm; the size of its tmpfs. Expected: EACCES, EPERM for a mapping, ENOSPC. Twins: the same
// copy runs from /tmp, and /dev/shm holds data.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "probe.h"

static const char* const kCopy = "/dev/shm/noexec_places_copy";

static bool copy_self(const char* path) {
  const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  char buffer[65536];
  ssize_t size = 0;
  bool whole = from >= 0 && to >= 0;
  while (whole && (size = read(from, buffer, sizeof buffer)) > 0)
    whole = write(to, buffer, (size_t)size) == size;
  close(from);
  close(to);
  return whole && size == 0;
}

static long execute(const void* path) {
  char* const arguments[] = {(char*)"noexec_places", (char*)"--started", NULL};
  char* const none[] = {NULL};
  return execve(path, arguments, none);
}

// A program that ran has left the child with its own code: it "did not return".
static void try_to_run(struct probes* probes, const char* name, const char* path) {
  probe_in_child(probes, name, execute, path, REFUSED_BY(EACCES, EPERM));
}

static void try_to_map(struct probes* probes, const char* name, const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) give_up("open %s", path);
  void* map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  probe_gain(probes, name, map == MAP_FAILED ? -1 : 0);
  if (map != MAP_FAILED) munmap(map, 4096);
  // Not mapped for execution at first, and made so later.
  map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  char later[64];
  snprintf(later, sizeof later, "%s_later", name);
  if (map != MAP_FAILED) probe_gain(probes, later, mprotect(map, 4096, PROT_READ | PROT_EXEC));
  close(fd);
}

static void try_to_overfill(struct probes* probes) {
  struct statvfs status;
  if (statvfs("/dev/shm", &status) != 0) give_up("statvfs");
  const off_t size = (off_t)(status.f_blocks * status.f_frsize);
  fact("shm.bytes", "%lld", (long long)size);
  const int fd = open("/dev/shm/noexec_places_fill", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) give_up("open in /dev/shm");
  unlink("/dev/shm/noexec_places_fill");
  twin(probes, "dev_shm", write(fd, "x", 1) == 1);
  // Past the end only: a probe that works takes one page.
  probe_gain(probes, "overfill", size == 0 ? 0 : fallocate(fd, 0, 0, size + 4096));
  close(fd);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "--started") == 0) return 0;
  struct probes probes = {0};
  if (!copy_self(kCopy)) give_up("copy to %s", kCopy);
  try_to_run(&probes, "exec_dev_shm", kCopy);
  try_to_map(&probes, "map_dev_shm", kCopy);
  unlink(kCopy);
  const int script = open(kCopy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  if (script < 0 || write(script, "#!/bin/sh\n", 10) != 10) give_up("write a script");
  close(script);
  try_to_run(&probes, "script_dev_shm", kCopy);
  unlink(kCopy);
  try_to_run(&probes, "exec_proc", "/proc/self/environ");
  try_to_run(&probes, "exec_sys", "/sys/fs/cgroup/memory.max");
  try_to_overfill(&probes);
  const char* lawful = "/tmp/noexec_places_copy";
  const bool copied = copy_self(lawful);
  const struct child_result ran = in_child(execute, lawful);
  twin(&probes, "exec_tmp", copied && !ran.returned && WIFEXITED(ran.status) && WEXITSTATUS(ran.status) == 0);
  unlink(lawful);
  return probes_exit_code(&probes);
}
