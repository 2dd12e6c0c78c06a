#include "jail/tables.h"

#include <sys/resource.h>

namespace jail {

namespace {

constexpr Device kDevices[] = {
    {"null", 1, 3}, {"zero", 1, 5}, {"full", 1, 7}, {"random", 1, 8}, {"urandom", 1, 9}, {"tty", 5, 0},
};

constexpr DeviceLink kDeviceLinks[] = {
    {"fd", "/proc/self/fd"},       {"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"},
    {"stderr", "/proc/self/fd/2"}, {"ptmx", "pts/ptmx"},
};

// Whatever is missing on this kernel is skipped by the step, because a path that is not there shows nothing.
constexpr const char* kHiddenInProc[] = {
    // kernel addresses, memory and symbols
    "kcore",
    "kallsyms",
    "kmsg",
    "kpagecgroup",
    "kpagecount",
    "kpageflags",
    "iomem",
    "ioports",
    "vmallocinfo",
    "slabinfo",
    "pagetypeinfo",
    "modules",
    "config.gz",
    "allocinfo",
    "vmcore",
    // other tenants' keys and timers
    "keys",
    "key-users",
    "timer_list",
    "timer_stats",
    "sched_debug",
    "latency_stats",
    "schedstat",
    "locks",
    // hardware and its switches
    "acpi",
    "asound",
    "bus",
    "driver",
    "fs",
    "irq",
    "interrupts",
    "softirqs",
    "scsi",
    "tty",
    "mtrr",
    "dma",
    "fb",
    "sysrq-trigger",
    "dynamic_debug",
    "sysvipc",
    "crypto",
    "misc",
    "execdomains",
    "consoles",
    "devices",
    "mdstat",
    // what the host is and does
    "cmdline",
    "bootconfig",
    "pressure",
    "swaps",
    "vmstat",
    "zoneinfo",
    "diskstats",
    "partitions",
    "buddyinfo",
    "version_signature",
};

constexpr const char* kReadOnlyInProc[] = {"sys"};

// Second wall behind seccomp: inside this user namespace the kernel itself makes no further namespaces. And
// inotify instances are charged to whoever made the namespace, the host's root: without a bound one sandbox
// takes them all.
constexpr Sysctl kUserLimits[] = {
    {"user/max_user_namespaces", "0"},    {"user/max_mnt_namespaces", "0"},
    {"user/max_net_namespaces", "0"},     {"user/max_pid_namespaces", "0"},
    {"user/max_ipc_namespaces", "0"},     {"user/max_uts_namespaces", "0"},
    {"user/max_cgroup_namespaces", "0"},  {"user/max_time_namespaces", "0"},
    {"user/max_inotify_instances", "32"}, {"user/max_inotify_watches", "65536"},
    {"user/max_fanotify_groups", "0"},    {"user/max_fanotify_marks", "0"},
};

// Servers inside may listen on port 80: the namespace is theirs alone.
constexpr Sysctl kNetworkSysctls[] = {{"net/ipv4/ip_unprivileged_port_start", "0"}};

// CORE is 1, not 0: a core_pattern that is a pipe runs its program even for 0. FSIZE stays unlimited, because
// a full disk must be ENOSPC, not SIGXFSZ; AS stays unlimited, because the JVM, Go and wasm reserve what they
// never touch.
constexpr Rlimit kRlimits[] = {
    {RLIMIT_NOFILE, 4096, 65536},
    {RLIMIT_CORE, 1, 1},
    {RLIMIT_MEMLOCK, 64 << 10, 64 << 10},
    {RLIMIT_STACK, 8 << 20, 64 << 20},
    {RLIMIT_MSGQUEUE, 64 << 10, 64 << 10},
    {RLIMIT_SIGPENDING, 1024, 1024},
    {RLIMIT_RTPRIO, 0, 0},
    {RLIMIT_NICE, 0, 0},
};

// Made in the sandbox's own layer, so that a template cannot put a link where a mount goes.
constexpr const char* kMountPoints[] = {"dev", "proc", "sys", "workspace"};

}  // namespace

std::span<const Device> device_table() { return kDevices; }
std::span<const DeviceLink> device_link_table() { return kDeviceLinks; }
std::span<const char* const> hidden_proc_table() { return kHiddenInProc; }
std::span<const char* const> read_only_proc_table() { return kReadOnlyInProc; }
std::span<const Sysctl> user_limit_table() { return kUserLimits; }
std::span<const Sysctl> network_sysctl_table() { return kNetworkSysctls; }
std::span<const Rlimit> rlimit_table() { return kRlimits; }
std::span<const char* const> mount_point_table() { return kMountPoints; }

}  // namespace jail
