// Row C07. States everything below /dev: type, device number, mode or link target; ptys, which come and go,
// are left out. Mechanism: a /dev of our own with six nodes. Expected: the golden list; no kmsg, kvm, mem,
// loop, fuse, vsock, tun, disk.
#include "tree_listing.h"

int main(void) {
  struct lines lines = {0};
  add_tree(&lines, "/dev", kSkipNumbers);
  print_sorted(&lines, "dev");
  return 0;
}
