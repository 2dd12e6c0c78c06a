// Row E19. Memory that is not the ordinary, countable kind: huge pages, and pages that cannot be moved.
// Mechanism: seccomp rules on the flags for huge pages, whose number is the machine's; RLIMIT_MEMLOCK.
// Expected: EPERM by the filter; ENOMEM and EPERM by the kernel for locking.
#include <sys/shm.h>

#include "probe.h"

#define SEVERAL (4 << 20)

static long lock_several(const void* unused) {
  (void)unused;
  void* const pages = mmap(NULL, SEVERAL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mlock(pages, SEVERAL);
}

static long lock_all(const void* unused) {
  (void)unused;
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return -1;
  return mmap(NULL, SEVERAL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1
                                                                                                       : 0;
}

static long lock_shared(const void* unused) {
  (void)unused;
  const int id = shmget(IPC_PRIVATE, SEVERAL, IPC_CREAT | 0600);
  const int locked = shmctl(id, SHM_LOCK, NULL);
  const int error = errno;
  shmctl(id, IPC_RMID, NULL);
  errno = error;
  return locked;
}

int main(void) {
  struct probes probes = {0};
  const int* const by_filter = REFUSED_BY(EPERM);
  const long anonymous = syscall(SYS_mmap, NULL, 2 << 20, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  probe_call(&probes, "huge_mmap", anonymous, by_filter);
  const long giant = syscall(SYS_mmap, NULL, 1 << 30, PROT_READ | PROT_WRITE,
                             WITH_HIGH_BIT(MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (30 << 26)), -1, 0);
  probe_call(&probes, "huge_mmap_high_bit", giant, by_filter);
  probe_call(&probes, "huge_memfd", syscall(SYS_memfd_create, "huge", WITH_HIGH_BIT(MFD_HUGETLB)), by_filter);
  // The kernel itself says EPERM to who is in no group for it, so the control cannot tell.
  probe_call(&probes, "huge_shm", syscall(SYS_shmget, IPC_PRIVATE, 2 << 20, SHM_HUGETLB | IPC_CREAT | 0600),
             by_filter);
  probe_in_child(&probes, "mlock", lock_several, NULL, REFUSED_BY(ENOMEM, EPERM));
  probe_in_child(&probes, "mlockall", lock_all, NULL, REFUSED_BY(ENOMEM, EPERM, EAGAIN));
  probe_in_child(&probes, "shm_lock", lock_shared, NULL, REFUSED_BY(ENOMEM, EPERM));
  char small[4096];
  twin(&probes, "mlock_a_page", mlock(small, sizeof small) == 0);
  twin(&probes, "memfd", memfd_create("plain", 0) >= 0);
  return probes_exit_code(&probes);
}
