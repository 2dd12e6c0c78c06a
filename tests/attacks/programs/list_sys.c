// Row C06. States everything below /sys, and what kind of file system it is. Mechanism: a small static
// read-only tmpfs in place of sysfs. Expected: the golden list (CPU ranges and the sandbox's own limits);
// tmpfs, not sysfs.
#include <sys/vfs.h>

#include "tree_listing.h"

int main(void) {
  struct statfs status;
  if (statfs("/sys", &status) != 0) give_up("statfs /sys");
  fact("sys.magic", "%lx", (unsigned long)status.f_type);
  struct lines lines = {0};
  add_tree(&lines, "/sys", kKeepNumbers);
  print_sorted(&lines, "sys");
  return 0;
}
