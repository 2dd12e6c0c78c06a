// Row A11. Reads, writes and steers another process of the same user: ptrace, process_vm_readv/writev,
// pidfd_getfd, kcmp, process_madvise. The victim is a child of our own. Mechanism: seccomp. Expected: EPERM.
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "probe.h"

// Waits in a read that ends when the parent does, so no victim is ever left over.
static pid_t start_victim(int hold_open[2]) {
  if (pipe2(hold_open, O_CLOEXEC) != 0) give_up("pipe2");
  const pid_t victim = fork();
  if (victim < 0) give_up("fork");
  if (victim > 0) return victim;
  close(hold_open[1]);
  char byte;
  while (read(hold_open[0], &byte, 1) < 0 && errno == EINTR) {
  }
  _exit(0);
}

static void probe_memory(struct probes* probes, pid_t victim) {
  long word = 7;
  struct iovec here = {&word, sizeof word};
  struct iovec there = {&word, sizeof word};  // fork: the same address holds the same variable
  const int* eperm = REFUSED_BY(EPERM);
  probe_call(probes, "process_vm_readv", syscall(SYS_process_vm_readv, victim, &here, 1, &there, 1, 0),
             eperm);
  probe_call(probes, "process_vm_writev", syscall(SYS_process_vm_writev, victim, &here, 1, &there, 1, 0),
             eperm);
}

static void probe_pidfd(struct probes* probes, pid_t victim) {
  const int* eperm = REFUSED_BY(EPERM);
  const int pidfd = (int)syscall(SYS_pidfd_open, victim, 0);
  const long taken = syscall(SYS_pidfd_getfd, pidfd, 0, 0);
  probe_call(probes, "pidfd_getfd", taken, eperm);
  if (taken >= 0) close((int)taken);
  // A flag that does not exist: the kernel's EINVAL comes before it asks for a capability.
  probe_call(probes, "process_madvise", syscall(SYS_process_madvise, pidfd, NULL, 0, 0, ~0U), eperm);
  if (pidfd >= 0) close(pidfd);
}

static long trace_me(const void* unused) {
  (void)unused;
  return syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);
}

int main(void) {
  struct probes probes = {0};
  const int* eperm = REFUSED_BY(EPERM);
  int hold_open[2];
  const pid_t victim = start_victim(hold_open);
  probe_memory(&probes, victim);
  probe_pidfd(&probes, victim);
  probe_call(&probes, "kcmp", syscall(SYS_kcmp, getpid(), victim, KCMP_VM, 0, 0), eperm);
  probe_in_child(&probes, "ptrace_traceme", trace_me, NULL, eperm);
  probe_call(&probes, "ptrace_seize", syscall(SYS_ptrace, PTRACE_SEIZE, victim, 0, 0), eperm);
  close(hold_open[1]);
  twin(&probes, "wait_for_child", waitpid(victim, NULL, 0) == victim);
  return probes_exit_code(&probes);
}
