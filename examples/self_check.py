#!/usr/bin/env python3
"""Is this a sealed sandbox? Looks around from inside, in the way of amicontained and am-i-isolated.

  cove run examples/self_check.py           in a sandbox of yours
  cove run --root examples/self_check.py    the same, as root inside

Lines: `fact` is something seen, `fine` and `FAULT` are verdicts, `note` is known and allowed on purpose. The last line sums up.
Exit code 0: no fault; 1: at least one. Nothing is changed: files are opened and never written, calls get arguments that are none.

  --outside KIND=INODE    the inode of a namespace that must not be ours; may be repeated
"""

import argparse
import ctypes
import errno
import mmap
import os
import re
import signal
import socket
import stat
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
FAULTS = []

# Over its own user namespace, in root mode: chown, dac_override, fowner, fsetid, kill, setgid, setuid.
ROOT_MODE_CAPABILITIES = 0xFB

# The kernel gives the namespaces that the machine starts with these inodes. The others' are told by --outside.
INITIAL_NAMESPACES = {"cgroup": 4026531835, "pid": 4026531836, "user": 4026531837, "uts": 4026531838, "ipc": 4026531839}

# Calls that lead to the machine, to other sandboxes, or to the parts of the kernel where escapes begin.
DANGEROUS_CALLS = {
    "ptrace": 101, "syslog": 103, "pivot_root": 155, "chroot": 161, "acct": 163,
    "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169, "sethostname": 170,
    "setdomainname": 171, "iopl": 172, "ioperm": 173, "init_module": 175, "delete_module": 176, "quotactl": 179, "clock_settime": 227,
    "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250, "migrate_pages": 256, "unshare": 272, "move_pages": 279,
    "perf_event_open": 298, "fanotify_init": 300, "name_to_handle_at": 303, "open_by_handle_at": 304, "setns": 308,
    "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "kexec_file_load": 320, "bpf": 321,
    "userfaultfd": 323, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435, "pidfd_getfd": 438, "process_madvise": 440,
    "mount_setattr": 442, "quotactl_fd": 443,
}

# Left out: vfork, whose child borrows our stack, and sync, which makes the whole machine write.
FORK, CLONE, VFORK, SYNC, SETSID, VHANGUP, FUTEX = 57, 56, 58, 162, 112, 153, 202
UNTRIED = {VFORK, SYNC}
EXITS = {60, 231}
SPLICES = {275, 276, 278}
LAST_CALL = 511

SWITCHES = """/proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/kernel/hotplug /proc/sys/kernel/sysrq /proc/sysrq-trigger
/proc/sys/fs/binfmt_misc/register /proc/sys/vm/drop_caches /proc/sys/user/max_user_namespaces /sys/kernel/uevent_helper
/sys/fs/cgroup/release_agent /sys/power/state /proc/1/mem /proc/1/oom_score_adj /dev/mem /dev/kmem /dev/port /dev/kmsg""".split()
SECRETS = "/proc/kcore /proc/kmsg /proc/keys /proc/timer_list /proc/sched_debug /proc/iomem /proc/slabinfo /proc/config.gz /dev/kmsg".split()
KERNEL_FILE_SYSTEMS = "sysfs cgroup cgroup2 debugfs tracefs securityfs bpf configfs binfmt_misc efivarfs pstore fusectl".split()
ORDINARY_DEVICES = set("null zero full random urandom tty ptmx".split())


def say(kind, name, detail):
    print(f"{kind} {name} {detail}", flush=True)
    if kind == "FAULT":
        FAULTS.append(name)


def judge(name, faults, good):
    """A verdict: what is wrong, cut to a line, or that nothing is."""
    faults = list(faults)
    if not faults:
        say("fine", name, good)
    else:
        rest = f" and {len(faults) - 8} more" if len(faults) > 8 else ""
        say("FAULT", name, ", ".join(map(str, faults[:8])) + rest)


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def opens(path, flags):
    """Whether a file opens; one that is a mask of /dev/null does not count."""
    try:
        fd = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    masked = os.fstat(fd).st_rdev == os.makedev(1, 3)
    os.close(fd)
    return not masked


def call(number, *arguments):
    """(result, errno) of a system call."""
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(number), *(ctypes.c_long(one) for one in arguments))
    return result, ctypes.get_errno()


def in_child(action):
    """What `action` returns, a small number, in a process of its own; None when that was ended by a signal."""
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        os._exit(action() & 0xFF)
    status = os.waitpid(child, 0)[1]
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else None


def status_of_self():
    return dict(re.findall(r"^(\w+):\s*(.*)$", read("/proc/self/status"), re.M))


def look_at_runtime():
    marks = [path for path in ("/.dockerenv", "/run/.containerenv", "/run/systemd/container") if os.path.exists(path)]
    say("fact", "runtime", f"uid {os.getuid()}, host name {socket.gethostname()}, marks of other runtimes: {' '.join(marks) or 'none'}")
    say("fact", "cgroup", read("/proc/self/cgroup").replace("\n", " ").strip() or "unseen")
    say("fact", "kernel", os.uname().release)


def check_namespaces(outside):
    own = {name: os.stat(f"/proc/self/ns/{name}").st_ino for name in sorted(os.listdir("/proc/self/ns"))}
    for name, inode in own.items():
        say("fact", f"ns.{name}", inode)
    foreign = {(name, inode) for name, inode in INITIAL_NAMESPACES.items()} | set(outside)
    judge("namespaces", sorted(f"{name} is the host's" for name, inode in foreign if own.get(name) == inode), "none is the host's")


def check_identity():
    faults = []
    for kind in ("uid", "gid"):
        for line in read(f"/proc/self/{kind}_map").splitlines():
            inside, outside, count = map(int, line.split())
            say("fact", f"{kind}_map", f"{inside} {outside} {count}")
            if outside < 65536:
                faults.append(f"{kind} {inside} inside is {outside} outside")
    judge("identity", faults, "every id inside is one of the host's that means nothing there")


def check_privileges():
    status = status_of_self()
    sets = {name: int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}
    for name, value in sets.items():
        say("fact", name, f"{value:x}")
    # In root mode root has seven, and its user the same bounding set and nothing else.
    limits = dict.fromkeys(sets, ROOT_MODE_CAPABILITIES if os.getuid() == 0 else 0) | {"CapBnd": ROOT_MODE_CAPABILITIES}
    good = "those of root mode, over its own user namespace" if any(sets.values()) else "none in any of the five sets"
    judge("capabilities", [f"{name} {value:x}" for name, value in sets.items() if value & ~limits[name]], good)
    judge("new_privileges", [] if status.get("NoNewPrivs") == "1" else ["NoNewPrivs is not set"], "forbidden")
    filters = status.get("Seccomp_filters", "0")
    judge("seccomp", [] if status.get("Seccomp") == "2" and int(filters) > 0 else [f"mode {status.get('Seccomp')}"], f"on, {filters} filters")


def attempt(number):
    """0: the kernel's own code ran; else the errno by which the call was refused. For a child."""
    arguments = [-1] * 6
    if number == VHANGUP:
        os.setsid()
    if number in EXITS:
        arguments = [0] * 6
    if number == CLONE:
        arguments = [signal.SIGCHLD, 0, 0, 0, 0, 0]
    if number == FUTEX:
        arguments = [ctypes.addressof(ctypes.c_int(0)), 1, 0, 0, 0, 0]
    result, error = call(number, *arguments)
    if result == 0 and number in (FORK, CLONE):
        os._exit(0)
    refused = error in (errno.EPERM, errno.ENOSYS) or (number in SPLICES and error == errno.EINVAL)
    return error if result == -1 and refused else 0


def call_names():
    """From the C library's headers, where there are any."""
    for path in ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"):
        found = re.findall(r"^#define __NR_(\w+) (\d+)$", read(path), re.M)
        if found:
            return {int(number): name for name, number in found}
    return {number: name for name, number in DANGEROUS_CALLS.items()}


def check_calls():
    names = call_names()
    refused = {number for number in range(LAST_CALL + 1) if number not in UNTRIED and in_child(lambda number=number: attempt(number))}
    known = sorted(names[number] for number in refused if number in names)
    say("fact", "calls.refused", f"{len(refused)} of {LAST_CALL + 1 - len(UNTRIED)} numbers: {' '.join(known)}")
    judge("calls", [name for name, number in DANGEROUS_CALLS.items() if number not in refused],
          f"none of {len(DANGEROUS_CALLS)} dangerous calls is reached")
    i386 = in_child(lambda: run_machine_code(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"))
    judge("calls_32_bit", [] if i386 is None else ["int 0x80 works"], "end the caller")
    nested = in_child(lambda: 1 if call(272, 0x10000000)[0] == 0 else 0)
    judge("user_namespaces", ["a new one can be made"] if nested == 1 else [], "none can be made")


def run_machine_code(code):
    """Runs a few bytes of machine code: mov eax, 20 (getpid); int 0x80; ret."""
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()
    return 1


def files_below(top, skip=lambda path: False):
    """Every entry that is no directory, with its path; links are not followed."""
    pending = [top]
    while pending:
        try:
            entries = list(os.scandir(pending.pop()))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not skip(entry.path):
                    pending.append(entry.path)
            else:
                yield entry


def is_a_process(path):
    return re.fullmatch(r"/proc/(\d+|self|thread-self)", path) is not None


def check_kernel_interfaces():
    writable = []
    for top in ("/proc", "/sys"):
        writable += [entry.path for entry in files_below(top, is_a_process)
                     if entry.is_file(follow_symlinks=False) and opens(entry.path, os.O_WRONLY)]
    judge("writable_interfaces", sorted(writable), "no file of /proc or /sys opens for writing")
    judge("switches", [path for path in SWITCHES if opens(path, os.O_WRONLY)], f"none of {len(SWITCHES)} opens for writing")
    readable = [path for path in SECRETS if opens(path, os.O_RDONLY) and os.path.getsize(path) + len(read_some(path)) > 0]
    judge("kernel_secrets", readable, f"none of {len(SECRETS)} can be read")
    pointers = [line for line in read_some("/proc/kallsyms").splitlines() if re.match(r"0*[1-9a-f]", line)]
    judge("kernel_pointers", pointers[:1], "kallsyms tells nothing")
    log = in_child(lambda: 1 if call(103, 10, 0, 0)[0] >= 0 else 0)
    judge("kernel_log", ["syslog tells its size"] if log == 1 else [], "dmesg is refused")


def read_some(path):
    try:
        with open(path, "rb", buffering=0) as file:
            os.set_blocking(file.fileno(), False)
            return (file.read(4096) or b"").decode("latin-1")
    except OSError:
        return ""


def check_devices():
    nodes = [entry for entry in files_below("/dev") if stat.S_ISCHR(mode_of(entry)) or stat.S_ISBLK(mode_of(entry))]
    say("fact", "devices", " ".join(sorted(entry.path for entry in nodes)))
    strange = [entry.path for entry in nodes if entry.name not in ORDINARY_DEVICES and not entry.path.startswith("/dev/pts/")]
    judge("devices", sorted(strange), f"the {len(nodes)} ordinary ones")


def mode_of(entry):
    try:
        return entry.stat(follow_symlinks=False).st_mode
    except OSError:
        return 0


def check_mounts():
    faults, kernel = [], []
    lines = read("/proc/self/mountinfo").splitlines()
    for line in lines:
        before, _, after = line.partition(" - ")
        point, options = before.split()[4:6]
        is_device = point.startswith("/dev/") and os.path.basename(point) in ORDINARY_DEVICES | {"pts"}
        if "nosuid" not in options.split(","):
            faults.append(f"{point} honours set-id files")
        if "nodev" not in options.split(",") and not is_device:
            faults.append(f"{point} honours device nodes")
        if after.split()[0] in KERNEL_FILE_SYSTEMS:
            kernel.append(f"{after.split()[0]} on {point}")
    judge("mount_flags", faults, f"{len(lines)} mounts, all nosuid, and nodev but for the device nodes")
    judge("kernel_file_systems", kernel, "none mounted")


def check_files():
    """One walk over the whole root: sockets of others, devices outside /dev, set-id programs."""
    sockets, devices, setid = [], [], 0
    for entry in files_below("/", lambda path: path in ("/proc", "/sys", "/dev")):
        if entry.is_symlink():
            continue
        mode = mode_of(entry)
        if stat.S_ISSOCK(mode) and entry.stat(follow_symlinks=False).st_uid != os.getuid():
            sockets.append(entry.path)
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            devices.append(entry.path)
        if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
            setid += 1
    judge("sockets", sockets, "no socket of anybody else in the file system")
    judge("stray_devices", devices, "no device node outside /dev")
    powerless = status_of_self().get("NoNewPrivs") == "1"
    judge("setid_programs", [] if powerless or setid == 0 else [f"{setid} that give their owner's id"], f"{setid} in the template, none gives anything")
    names = [line.split()[7] for line in read("/proc/net/unix").splitlines()[1:] if len(line.split()) > 7]
    judge("named_sockets", names, "none listens in this network namespace")


def check_processes():
    others = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{name}").st_uid != os.getuid():
                others.append(name)
        except OSError:
            pass
    judge("processes", [f"pid {name} of another id" for name in others], "only those of this user are in sight")
    judge("pid_1", [path for path in ("/proc/1/root", "/proc/1/environ", "/proc/1/maps") if os.access(path, os.R_OK) and read_some(path)],
          "shows nothing of itself")


def tell_notes():
    with_code = in_child(lambda: run_machine_code(b"\xc3"))
    say("note", "rwx_memory", "allowed, because JIT compilers need it" if with_code == 1 else "refused")
    version = call(444, 0, 0, 1)[0]
    say("note", "landlock", f"ABI {version}, free for programs to confine themselves further" if version > 0 else "not in this kernel")
    say("note", "apparmor", read("/proc/self/attr/current").strip("\n\0") or "no profile; no promise rests on one")
    say("note", "yama", read("/proc/sys/kernel/yama/ptrace_scope").strip() or "not in this kernel; ptrace is refused by the filter")
    say("note", "network", f"interfaces: {' '.join(name for _, name in socket.if_nameindex()) or 'none'}")
    say("note", "time_namespace", "the host's: clocks are the same everywhere")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--outside", action="append", default=[], metavar="KIND=INODE")
    outside = [(kind, int(inode)) for kind, _, inode in (one.partition("=") for one in parser.parse_args().outside)]
    look_at_runtime()
    check_namespaces(outside)
    check_identity()
    check_privileges()
    check_calls()
    check_kernel_interfaces()
    check_devices()
    check_mounts()
    check_files()
    check_processes()
    tell_notes()
    print("verdict: sealed" if not FAULTS else f"verdict: {len(FAULTS)} faults: {' '.join(FAULTS)}")
    return 1 if FAULTS else 0


if __name__ == "__main__":
    sys.exit(main())
