// Row B02. States who the process is and how its ids map to the host's, for the harness to check over many
// sandboxes. Mechanism: one block of 65,536 ids per sandbox. Expected: host ids of 2^20 and above, blocks
// disjoint, never 0 to 65535.
#include "status_file.h"

static const char* const kFields[] = {"Uid", "Gid", "Groups", NULL};

static void state_lines(const char* path, const char* key) {
  FILE* file = fopen(path, "re");
  if (file == NULL) give_up("open %s", path);
  char line[256];
  while (fgets(line, sizeof line, file) != NULL) {
    unsigned inside = 0;
    unsigned outside = 0;
    unsigned count = 0;
    if (sscanf(line, "%u %u %u", &inside, &outside, &count) == 3) {
      fact(key, "%u %u %u", inside, outside, count);
    } else {
      line[strcspn(line, "\n")] = '\0';
      fact(key, "%s", line);
    }
  }
  fclose(file);
}

int main(void) {
  state_status_fields("/proc/self/status", "self", kFields);
  state_lines("/proc/self/uid_map", "uid_map");
  state_lines("/proc/self/gid_map", "gid_map");
  state_lines("/proc/self/setgroups", "setgroups");
  return 0;
}
