// Row B18. Whoever reaches the control socket of a sandbox's init, or the spawner's, may give orders. Looks
// for them from inside: by the paths given, below every place that may lead out, in the file system, in
// /proc/net/unix, by abstract name, among inherited descriptors. Mechanism: the sockets lie outside, in a
// directory of root's, and init keeps its listener to itself. Expected: ENOENT, EACCES, ECONNREFUSED, none.
// Usage: control_sockets PATH…   absolute paths of the sockets on the host
#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "probe.h"

static long try_connect(const struct sockaddr_un* address, socklen_t size) {
  static const int kTypes[] = {SOCK_STREAM, SOCK_SEQPACKET};
  long result = -1;
  int error = 0;
  for (size_t i = 0; i < sizeof kTypes / sizeof kTypes[0] && result != 0; i++) {
    const int fd = socket(AF_UNIX, kTypes[i] | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) give_up("socket");
    result = connect(fd, (const struct sockaddr*)address, size);
    error = errno;
    close(fd);
    if (error == EPROTOTYPE) continue;
  }
  errno = error;
  return result;
}

// Paths are the host's run directory, which is short enough for an address with any prefix.
static long connect_to_path(const char* prefix, const char* path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int length = snprintf(address.sun_path, sizeof address.sun_path, "%s%s", prefix, path);
  if (length < 0 || (size_t)length >= sizeof address.sun_path) give_up("%s%s is too long", prefix, path);
  return try_connect(&address, sizeof address);
}

static long connect_to_abstract(const char* name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const size_t length = strnlen(name, sizeof address.sun_path - 1);
  memcpy(address.sun_path + 1, name, length);
  return try_connect(&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length));
}

static void probe_path(struct probes* probes, const char* path, int number) {
  static const struct {
    const char* name;
    const char* prefix;
  } kPlaces[] = {{"path", ""}, {"oldroot", "/oldroot"}, {"init_root", "/proc/1/root"}};
  char name[64];
  for (size_t i = 0; i < sizeof kPlaces / sizeof kPlaces[0]; i++) {
    snprintf(name, sizeof name, "%s_%d", kPlaces[i].name, number);
    probe_gain(probes, name, connect_to_path(kPlaces[i].prefix, path));
  }
  snprintf(name, sizeof name, "abstract_%d", number);
  probe_gain(probes, name, connect_to_abstract(path));
}

static long count_sockets_below(int directory, int depth) {
  DIR* stream = fdopendir(directory);
  if (stream == NULL) {
    close(directory);
    return 0;
  }
  long found = 0;
  for (struct dirent* entry = readdir(stream); entry != NULL; entry = readdir(stream)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    struct stat status;
    if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISSOCK(status.st_mode)) found++;
    if (!S_ISDIR(status.st_mode) || depth == 0) continue;
    const int below = openat(directory, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below >= 0) found += count_sockets_below(below, depth - 1);
  }
  closedir(stream);
  return found;
}

// Where sockets are kept, in this root and in one that was left behind.
static void probe_file_system(struct probes* probes) {
  static const char* const kPlaces[] = {"/run", "/tmp", "/var", "/dev", "/etc", "/home", "/oldroot/run"};
  long found = 0;
  for (size_t i = 0; i < sizeof kPlaces / sizeof kPlaces[0]; i++) {
    const int fd = open(kPlaces[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) found += count_sockets_below(fd, 6);
  }
  if (found > 0) {
    probe_worked(probes, "sockets_in_files", "found");
  } else {
    probe_refused(probes, "sockets_in_files", "none");
  }
}

static void probe_listing(struct probes* probes) {
  FILE* file = fopen("/proc/net/unix", "re");
  char line[512];
  bool named = false;
  while (file != NULL && fgets(line, sizeof line, file) != NULL) named |= strpbrk(line, "@/") != NULL;
  if (file != NULL) fclose(file);
  if (named) {
    probe_worked(probes, "proc_net_unix", "named");
  } else {
    probe_refused(probes, "proc_net_unix", "none");
  }
}

static void probe_descriptors(struct probes* probes) {
  bool found = false;
  for (int fd = 0; fd < 1024; fd++) {
    struct stat status;
    found |= fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
  }
  if (found) {
    probe_worked(probes, "inherited_socket", "found");
  } else {
    probe_refused(probes, "inherited_socket", "none");
  }
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  for (int i = 1; i < argc; i++) probe_path(&probes, argv[i], i);
  probe_file_system(&probes);
  probe_listing(&probes);
  probe_descriptors(&probes);
  return probes_exit_code(&probes);
}
