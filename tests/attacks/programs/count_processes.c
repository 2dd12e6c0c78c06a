// Row E01. How many processes there are in this sandbox beside init and this one.
#include <dirent.h>

#include "probe.h"

int main(void) {
  DIR* const proc = opendir("/proc");
  if (proc == NULL) give_up("opendir(/proc)");
  int others = 0;
  for (const struct dirent* entry = readdir(proc); entry != NULL; entry = readdir(proc)) {
    const int pid = atoi(entry->d_name);
    if (pid > 1 && pid != getpid()) others++;
  }
  closedir(proc);
  fact("others", "%d", others);
  return 0;
}
