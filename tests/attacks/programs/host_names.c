// Row B13. By which names a sandbox knows its machine: host name, NIS domain, machine-id, boot id; and
// whether it can change the first two. Mechanism: its own uts namespace and identity files; seccomp.
// Expected: EPERM; the harness compares the names with the host's and a sibling's. A change sets what is
// already there.
#include <sys/utsname.h>

#include "probe.h"

static void state_file(const char* key, const char* path) {
  char line[128] = "";
  FILE* file = fopen(path, "re");
  if (file == NULL || fgets(line, sizeof line, file) == NULL) snprintf(line, sizeof line, "none");
  if (file != NULL) fclose(file);
  line[strcspn(line, "\n")] = '\0';
  fact(key, "%s", line);
}

int main(void) {
  struct probes probes = {0};
  struct utsname names;
  if (uname(&names) != 0) give_up("uname");
  fact("hostname", "%s", names.nodename);
  fact("domainname", "%s", names.domainname);
  state_file("hostname_file", "/etc/hostname");
  state_file("machine_id", "/etc/machine-id");
  state_file("boot_id", "/proc/sys/kernel/random/boot_id");
  probe_gain(&probes, "sethostname", sethostname(names.nodename, strlen(names.nodename)));
  probe_gain(&probes, "setdomainname", setdomainname(names.domainname, strlen(names.domainname)));
  return probes_exit_code(&probes);
}
