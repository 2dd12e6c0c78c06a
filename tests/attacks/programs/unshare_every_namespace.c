// Row A04. Makes or enters a namespace of every kind through unshare, clone, clone3 and setns, alone and
// together with a user namespace (which would lend the capabilities for the others), and with bits set above
// the low 32. Mechanism: seccomp's flag rules, and as a second wall user.max_*_namespaces = 0 in the
// sandbox's user namespace. Expected: EPERM, clone3 ENOSYS; with seccomp removed, ENOSPC from the second
// wall.
#include <linux/sched.h>
#include <stdint.h>

#include "probe.h"

struct kind {
  const char* name;
  uint64_t flag;
};

static const struct kind kKinds[] = {
    {"user", CLONE_NEWUSER}, {"mnt", CLONE_NEWNS},  {"pid", CLONE_NEWPID},       {"net", CLONE_NEWNET},
    {"ipc", CLONE_NEWIPC},   {"uts", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP}, {"time", CLONE_NEWTIME},
};

static long try_unshare(const void* flags) { return syscall(SYS_unshare, *(const uint64_t*)flags); }

// The kernel's own answer to a bad descriptor is EBADF.
static long try_setns(const void* flags) { return syscall(SYS_setns, -1, *(const uint64_t*)flags); }

static long reaped(long child) {
  if (child == 0) _exit(0);
  if (child > 0) waitpid((pid_t)child, NULL, __WALL);
  return child;
}

static long try_clone(const void* flags) {
  return reaped(syscall(SYS_clone, *(const uint64_t*)flags | SIGCHLD, 0, 0, 0, 0));
}

static long try_clone3(const void* flags) {
  struct clone_args arguments = {.flags = *(const uint64_t*)flags, .exit_signal = SIGCHLD};
  return reaped(syscall(SYS_clone3, &arguments, sizeof arguments));
}

static void probe_flags(struct probes* probes, const char* label, uint64_t flags) {
  char name[64];
  snprintf(name, sizeof name, "unshare_%s", label);
  probe_in_child(probes, name, try_unshare, &flags, REFUSED_BY(EPERM, ENOSPC));
  snprintf(name, sizeof name, "setns_%s", label);
  probe_in_child(probes, name, try_setns, &flags, REFUSED_BY(EPERM));
  snprintf(name, sizeof name, "clone3_%s", label);
  probe_in_child(probes, name, try_clone3, &flags, REFUSED_BY(ENOSYS, EPERM, ENOSPC));
  // In clone the bit of CLONE_NEWTIME belongs to the exit signal: there it makes no namespace.
  if ((flags & CLONE_NEWTIME) != 0) return;
  snprintf(name, sizeof name, "clone_%s", label);
  probe_in_child(probes, name, try_clone, &flags, REFUSED_BY(EPERM, ENOSPC));
  // clone drops the high half of its flags, so this is the same call to the kernel, another one to a careless
  // filter.
  const uint64_t high = (uint64_t)WITH_HIGH_BIT(flags);
  snprintf(name, sizeof name, "clone_%s_high_bit", label);
  probe_in_child(probes, name, try_clone, &high, REFUSED_BY(EPERM, ENOSPC));
}

static long plain_fork(const void* unused) {
  (void)unused;
  const pid_t child = fork();
  return reaped(child);
}

int main(void) {
  struct probes probes = {0};
  for (size_t i = 0; i < sizeof kKinds / sizeof kKinds[0]; i++) {
    probe_flags(&probes, kKinds[i].name, kKinds[i].flag);
    if (kKinds[i].flag == CLONE_NEWUSER) continue;
    char label[32];
    snprintf(label, sizeof label, "user+%s", kKinds[i].name);
    probe_flags(&probes, label, kKinds[i].flag | CLONE_NEWUSER);
  }
  const struct child_result forked = in_child(plain_fork, NULL);
  twin(&probes, "fork", forked.returned && forked.result > 0);
  return probes_exit_code(&probes);
}
