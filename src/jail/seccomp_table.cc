#include "jail/seccomp_table.h"

namespace jail {
namespace {

using enum SeccompVerdict;

constexpr auto kGroups = std::to_array<CallGroup>({
    {"descriptors", kAllow, "ordinary input and output",
     "read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close close_range dup "
     "dup2 "
     "dup3 fcntl flock ioctl pipe pipe2 sendfile copy_file_range fadvise64 readahead sync_file_range fsync "
     "fdatasync syncfs truncate ftruncate fallocate"},
    {"files", kAllow, "paths and what stands at them; the mount table decides what is there",
     "open openat openat2 creat access faccessat faccessat2 stat fstat lstat newfstatat statx statfs fstatfs "
     "getdents getdents64 getcwd chdir fchdir rename renameat renameat2 mkdir mkdirat rmdir link linkat "
     "unlink "
     "unlinkat symlink symlinkat readlink readlinkat chmod fchmod fchmodat fchmodat2 chown fchown lchown "
     "fchownat "
     "umask utime utimes futimesat utimensat mknod mknodat"},
    {"extended attributes", kAllow,
     "tar, cp -a, dpkg; the kernel guards security.* and trusted.* by capability",
     "setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr "
     "lremovexattr fremovexattr"},
    {"waiting", kAllow, "event loops",
     "poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 "
     "eventfd "
     "eventfd2 signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime inotify_init inotify_init1 "
     "inotify_add_watch inotify_rm_watch"},
    {"memory", kAllow, "allocators, JITs, garbage collectors; locking is bounded by RLIMIT_MEMLOCK",
     "mmap munmap mremap mprotect pkey_mprotect pkey_alloc pkey_free brk madvise mincore msync mlock mlock2 "
     "munlock "
     "mlockall munlockall membarrier memfd_create mseal map_shadow_stack"},
    {"processes", kAllow, "start, end, wait; namespaces are the clone group's business",
     "fork vfork execve execveat exit exit_group wait4 waitid getpid gettid getppid getpgid setpgid getpgrp "
     "getsid "
     "setsid set_tid_address prctl arch_prctl rseq pidfd_open pidfd_send_signal getpriority setpriority "
     "getrlimit "
     "setrlimit prlimit64 getrusage times ioprio_get ioprio_set"},
    {"clone", kPermission, "unless no namespace is asked for (argument rule)", "clone"},
    {"threads", kAllow, "locks and scheduling",
     "futex set_robust_list get_robust_list getcpu sched_yield sched_setaffinity sched_getaffinity "
     "sched_setparam "
     "sched_getparam sched_setscheduler sched_getscheduler sched_get_priority_max sched_get_priority_min "
     "sched_rr_get_interval sched_setattr sched_getattr"},
    {"signals", kAllow, "reach only the sandbox's own pid namespace",
     "kill tkill tgkill rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait "
     "rt_sigqueueinfo "
     "rt_tgsigqueueinfo rt_sigsuspend sigaltstack pause restart_syscall"},
    {"time", kAllow,
     "reading clocks and sleeping; adjtimex reads, the kernel refuses to set without capability",
     "time gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep alarm getitimer setitimer "
     "timer_create "
     "timer_settime timer_gettime timer_getoverrun timer_delete adjtimex clock_adjtime"},
    {"identity", kAllow, "every change is judged by the kernel against the sandbox's own user namespace",
     "getuid geteuid getgid getegid getgroups getresuid getresgid setuid setgid setreuid setregid setresuid "
     "setresgid "
     "setfsuid setfsgid setgroups capget capset"},
    {"system information", kAllow, "harmless reads", "uname sysinfo getrandom"},
    {"narrower sandboxes", kAllow, "a program may confine itself further, as browsers and man-db do",
     "seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self"},
    {"sockets in use", kAllow, "a socket's family and protocol were judged when it was made",
     "bind listen accept accept4 connect shutdown getsockname getpeername getsockopt sendto sendmsg sendmmsg "
     "recvfrom recvmsg recvmmsg"},
    {"sockets being made", kNoFamily, "unless the family and protocol are ordinary (argument rules)",
     "socket socketpair"},
    {"socket options", kNoOption, "unless the level is one of an ordinary socket (argument rules)",
     "setsockopt"},
    {"system v and posix ipc", kAllow, "private to the sandbox's ipc namespace",
     "shmget shmat shmctl shmdt semget semop semtimedop semctl msgget msgsnd msgrcv msgctl mq_open mq_unlink "
     "mq_timedsend mq_timedreceive mq_notify mq_getsetattr"},
    {"personality", kPermission, "unless it is a harmless one (argument rule)", "personality"},

    {"flushing the machine", kPretend,
     "writes out what everybody has written, on every disk; fsync and syncfs remain for what is one's own",
     "sync"},
    {"kernel aio", kNoCall,
     "its contexts come out of one number for the whole machine; databases fall back to threads",
     "io_setup io_destroy io_getevents io_pgetevents io_submit io_cancel"},
    {"opaque clone", kNoCall, "its flags lie behind a pointer; libc falls back to clone", "clone3"},
    {"zero-copy pipes", kInvalid,
     "they hand page cache pages to other subsystems by reference; EINVAL makes callers copy instead",
     "splice tee vmsplice"},
    {"io_uring", kPermission, "its requests are system calls that no filter sees",
     "io_uring_setup io_uring_enter io_uring_register"},
    {"kernel programs and tracing", kPermission, "run in or observe the kernel that everybody shares",
     "bpf perf_event_open userfaultfd lookup_dcookie syslog"},
    {"keyrings", kPermission, "not confined by namespaces", "add_key request_key keyctl"},
    {"other processes' insides", kPermission, "debugging is not part of a sandbox; pid 1 must stay untouched",
     "ptrace process_vm_readv process_vm_writev process_madvise process_mrelease pidfd_getfd kcmp"},
    {"mounts and roots", kPermission, "the spawner alone shapes the file tree",
     "mount umount2 pivot_root chroot open_tree open_tree_attr move_mount fsopen fsconfig fsmount fspick "
     "mount_setattr"},
    {"namespaces", kPermission,
     "a new user namespace would give capabilities over kernel code unreachable otherwise", "unshare setns"},
    {"file handles", kPermission, "reach files without walking a path",
     "name_to_handle_at open_by_handle_at"},
    {"file system watching", kPermission, "sees whole mounts; inotify is enough",
     "fanotify_init fanotify_mark"},
    {"memory placement", kPermission,
     "moves pages between nodes for everybody; hidden memory escapes inspection",
     "set_mempolicy set_mempolicy_home_node mbind migrate_pages move_pages memfd_secret"},
    {"memory placement probe", kNoCall, "libnuma asks this first and on ENOSYS leaves the group above alone",
     "get_mempolicy"},
    {"kernel modules and boot", kPermission, "the machine's administrator",
     "init_module finit_module delete_module kexec_load kexec_file_load reboot"},
    {"machine settings", kPermission, "the machine's administrator",
     "swapon swapoff acct quotactl quotactl_fd settimeofday clock_settime sethostname setdomainname iopl "
     "ioperm "
     "vhangup"},
    {"relics", kPermission, "old and rarely exercised kernel code that nothing current calls",
     "modify_ldt sysfs ustat"},

    {"second futex interface", kNoCall, "young code on top of the subtlest; every caller falls back to futex",
     "futex_waitv futex_wake futex_wait futex_requeue"},
    {"young calls", kNoCall, "no libc needs them yet; callers fall back to the older forms",
     "cachestat statmount listmount listns lsm_get_self_attr lsm_set_self_attr lsm_list_modules setxattrat "
     "getxattrat listxattrat removexattrat file_getattr file_setattr"},
    {"probe trampolines", kNoCall, "entered by the kernel's own tracing, never by a program",
     "uretprobe uprobe"},
    {"emulated remapping", kNoCall, "only an emulation is left in the kernel; mmap does the job",
     "remap_file_pages"},
    {"never there", kNoCall,
     "the 64-bit kernel has no such calls; listed so that every name is accounted for",
     "uselib _sysctl create_module get_kernel_syms query_module nfsservctl getpmsg putpmsg afs_syscall "
     "tuxcall "
     "security set_thread_area get_thread_area epoll_ctl_old epoll_wait_old vserver"},
});

constexpr auto kChanges = std::to_array<ProfileChange>({
    {only(SeccompProfile::kSpawner), kAllow,
     "what builds a sandbox, and nothing else that the user's list lacks",
     "mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount mount_setattr unshare "
     "setns "
     "sethostname setdomainname"},
    {only(SeccompProfile::kSpawner), kAllow, "limits of a disk that is a directory under project quota",
     "quotactl_fd"},
    {only(SeccompProfile::kInit) | only(SeccompProfile::kSpawner), kAllow,
     "a process is born in its own cgroup by CLONE_INTO_CGROUP", "clone3"},
    {only(SeccompProfile::kZygote), kAllow,
     "enters the sandboxes of its nursery; the kernel asks for a capability over each namespace", "setns"},
    {only(SeccompProfile::kUserNoSetid), kNoCall,
     "its mode lies behind a pointer; callers fall back to openat", "openat2"},
});

}  // namespace

std::span<const CallGroup> call_groups() { return kGroups; }
std::span<const ProfileChange> profile_changes() { return kChanges; }

std::string_view name_of(SeccompProfile profile) {
  switch (profile) {
    case SeccompProfile::kUser:
      return "user";
    case SeccompProfile::kUserNoSetid:
      return "user-no-setid";
    case SeccompProfile::kRoot:
      return "root";
    case SeccompProfile::kInit:
      return "init";
    case SeccompProfile::kSpawner:
      return "spawner";
    case SeccompProfile::kZygote:
      return "zygote";
  }
  return "unknown";
}

std::string_view name_of(SeccompVerdict verdict) {
  switch (verdict) {
    case kAllow:
      return "allow";
    case kPermission:
      return "EPERM";
    case kNoCall:
      return "ENOSYS";
    case kInvalid:
      return "EINVAL";
    case kNoFamily:
      return "EAFNOSUPPORT";
    case kNoProtocol:
      return "EPROTONOSUPPORT";
    case kNoOption:
      return "ENOPROTOOPT";
    case kPretend:
      return "pretend";
  }
  return "unknown";
}

}  // namespace jail
