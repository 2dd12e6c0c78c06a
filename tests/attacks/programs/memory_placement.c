// Row A21. Memory that hides (memfd_secret), memory that never leaves (locking beyond the limit), and memory
// that is moved between nodes (set_mempolicy, mbind, move_pages and their kin). Mechanism: seccomp, and
// RLIMIT_MEMLOCK of 64 KiB. Expected: EPERM for the calls (ENOSYS for get_mempolicy, which libnuma asks
// first), ENOMEM for locking. A kernel built without the feature says ENOSYS where the policy says EPERM.
#include "probe.h"

// Newer than some headers.
enum { kMemfdSecret = 447, kSetMempolicyHomeNode = 450 };
enum { kBeyondLimit = 1 << 20, kWithinLimit = 16 << 10 };

static long lock_everything(const void* unused) {
  (void)unused;
  return mlockall(MCL_CURRENT | MCL_FUTURE);
}

static long lock_pages(const void* size_argument) {
  const size_t size = *(const size_t*)size_argument;
  void* pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return 0;
  return mlock(pages, size);
}

static long map_locked(const void* unused) {
  (void)unused;
  void* pages = mmap(NULL, kBeyondLimit, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0);
  return pages == MAP_FAILED ? -1 : 0;
}

int main(void) {
  struct probes probes = {0};
  const int* eperm = REFUSED_BY(EPERM);
  const long unknown = 0x7000;
  const size_t beyond = kBeyondLimit;
  const size_t within = kWithinLimit;
  probe_call(&probes, "memfd_secret", syscall(kMemfdSecret, unknown), eperm);
  probe_call(&probes, "set_mempolicy", syscall(SYS_set_mempolicy, unknown, 0, 0), eperm);
  probe_call(&probes, "mbind", syscall(SYS_mbind, 0, 0, unknown, 0, 0, unknown), eperm);
  probe_call(&probes, "move_pages", syscall(SYS_move_pages, 0, 0, 0, 0, 0, unknown), eperm);
  probe_call(&probes, "migrate_pages", syscall(SYS_migrate_pages, -1, 0, 0, 0), eperm);
  probe_call(&probes, "set_mempolicy_home_node", syscall(kSetMempolicyHomeNode, 1, 0, 0, unknown), eperm);
  probe_call(&probes, "get_mempolicy", syscall(SYS_get_mempolicy, 0, 0, 0, 0, 0), REFUSED_BY(ENOSYS));
  probe_in_child(&probes, "mlockall", lock_everything, NULL, REFUSED_BY(ENOMEM));
  probe_in_child(&probes, "mlock_1_mib", lock_pages, &beyond, REFUSED_BY(ENOMEM));
  probe_in_child(&probes, "map_locked_1_mib", map_locked, NULL, REFUSED_BY(EAGAIN));
  twin(&probes, "mlock_16_kib", lock_pages(&within) == 0);
  return probes_exit_code(&probes);
}
