// Row A20. Calls that act on the whole machine: modules, kexec, reboot, swap, accounting, quotas, clocks, I/O
// ports, the kernel log, the descriptor table. Mechanism: seccomp. Expected: EPERM (ENOSYS where the kernel
// has dropped the call).
//
// Arguments are chosen so that the call fails even for real root: bad pointers, unknown flags, wrong magic.
// Where the kernel looks at arguments before capabilities, EFAULT or EINVAL proves that the call was reached.
// The others (kNeedsHostCapability) answer EPERM to anyone in a user namespace, and prove something only in a
// control jail that runs as root of the initial user namespace.
#include "probe.h"

struct host_call {
  const char* name;
  long number;
  long arguments[4];
};

#define BAD ((long)BAD_POINTER)

static const struct host_call kArgumentsFirst[] = {
    {"swapon", SYS_swapon, {BAD, 0x70000000}},
    {"quotactl", SYS_quotactl, {0xff, BAD, 0, BAD}},  // a quota type that does not exist
    {"settimeofday", SYS_settimeofday, {BAD, 0}},
    {"clock_settime", SYS_clock_settime, {0, BAD}},
    {"io_setup", SYS_io_setup, {0, BAD}},  // counts against a bound of the whole machine
    {"iopl", SYS_iopl, {4}},               // levels are 0 to 3
    {"ioperm", SYS_ioperm, {-1, 1, 1}},    // a range that wraps around
    {"modify_ldt_read", SYS_modify_ldt, {0, 0, 0}},
    {"modify_ldt_unknown", SYS_modify_ldt, {99, 0, 0}},
};

static const struct host_call kNeedsSandboxCapability[] = {
    {"reboot", SYS_reboot, {0x1234, 0x5678, 0, 0}},  // wrong magic
    {"sethostname", SYS_sethostname, {BAD, 8}},
    {"setdomainname", SYS_setdomainname, {BAD, 8}},
};

static const struct host_call kNeedsHostCapability[] = {
    {"init_module", SYS_init_module, {0, 0, 0}},
    {"finit_module", SYS_finit_module, {-1, BAD, 0}},
    {"delete_module", SYS_delete_module, {BAD, 0}},
    {"kexec_load", SYS_kexec_load, {0, 0, 0, 0x70000000}},
    {"kexec_file_load", SYS_kexec_file_load, {-1, -1, 0, BAD}},
    {"swapoff", SYS_swapoff, {BAD}},
    {"acct", SYS_acct, {BAD}},  // never null: that would turn accounting off
    {"syslog", SYS_syslog, {10, 0, 0}},
    {"vhangup_of_no_terminal", SYS_vhangup, {0}},
    {"lookup_dcookie", SYS_lookup_dcookie, {0, 0, 0}},
};

static long make_call(const void* argument) {
  const struct host_call* call = argument;
  const long* a = call->arguments;
  // A new session has no terminal, so a vhangup that is let through hangs up nothing.
  setsid();
  return syscall(call->number, a[0], a[1], a[2], a[3]);
}

static void probe_table(struct probes* probes, const struct host_call* calls, size_t count) {
  for (size_t i = 0; i < count; i++) {
    probe_in_child(probes, calls[i].name, make_call, &calls[i], REFUSED_BY(EPERM, ENOSYS));
  }
}

int main(void) {
  struct probes probes = {0};
  probe_table(&probes, kArgumentsFirst, sizeof kArgumentsFirst / sizeof kArgumentsFirst[0]);
  probe_table(&probes, kNeedsSandboxCapability,
              sizeof kNeedsSandboxCapability / sizeof kNeedsSandboxCapability[0]);
  probe_table(&probes, kNeedsHostCapability, sizeof kNeedsHostCapability / sizeof kNeedsHostCapability[0]);
  return probes_exit_code(&probes);
}
