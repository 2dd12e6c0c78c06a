// Row B11. Looks for unix sockets in the abstract name space, which belongs to the network namespace: lists
// /proc/net/unix and connects to the names given. Mechanism: the network namespace. Expected: ECONNREFUSED,
// nothing listed that is not ours. Usage: abstract_sockets NAME…   names of listeners that the harness runs
// elsewhere
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "probe.h"

static socklen_t abstract_address(struct sockaddr_un* address, const char* name) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  const size_t length = strnlen(name, sizeof address->sun_path - 1);
  memcpy(address->sun_path + 1, name, length);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

static long try_connect(const char* name, int type) {
  struct sockaddr_un address;
  const socklen_t size = abstract_address(&address, name);
  const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) give_up("socket");
  const int result = connect(fd, (const struct sockaddr*)&address, size);
  const int error = errno;
  close(fd);
  errno = error;
  // EPROTOTYPE means that somebody listens there with another type of socket.
  return result == 0 || error == EAGAIN || error == EPROTOTYPE ? 0 : -1;
}

// Counts the sockets in the list that have a name.
static void probe_listing(struct probes* probes) {
  FILE* file = fopen("/proc/net/unix", "re");
  if (file == NULL) {
    probe_refused(probes, "proc_net_unix", errno_name(errno));
    return;
  }
  char line[512];
  int named = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    const char* name = strpbrk(line, "@/");
    if (name == NULL) continue;
    line[strcspn(line, "\n")] = '\0';
    probe_worked(probes, "proc_net_unix", name);
    named++;
  }
  fclose(file);
  if (named == 0) probe_refused(probes, "proc_net_unix", "no_names");
}

static bool own_name_works(void) {
  struct sockaddr_un address;
  const socklen_t size = abstract_address(&address, "cove-attack-own");
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool works = bind(fd, (const struct sockaddr*)&address, size) == 0 && listen(fd, 1) == 0 &&
                     try_connect("cove-attack-own", SOCK_STREAM) == 0;
  close(fd);
  return works;
}

int main(int argc, char** argv) {
  struct probes probes = {0};
  probe_listing(&probes);
  for (int i = 1; i < argc; i++) {
    char name[160];
    snprintf(name, sizeof name, "stream_%.100s", argv[i]);
    probe_gain(&probes, name, try_connect(argv[i], SOCK_STREAM));
    snprintf(name, sizeof name, "dgram_%.100s", argv[i]);
    probe_gain(&probes, name, try_connect(argv[i], SOCK_DGRAM));
  }
  twin(&probes, "own_abstract_socket", own_name_works());
  return probes_exit_code(&probes);
}
