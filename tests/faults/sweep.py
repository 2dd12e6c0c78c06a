"""A failure injected at each system call of a sandbox's life: creating it, a run in it, destroying it.

The tool `inject` makes the Kth call of one kind, of one process, fail: of the spawner, the helper, pid 1, cove-init, or of
what that starts, up to its program's exec. Whatever fails: a clear error or none, no hang, nothing left, and no program that runs
although a step before it failed.

Usually a sample is swept: each kind of call of each process at its first and last occurrence, and a part of the rest, chosen by
COVE_SWEEP_SEED. COVE_SWEEP=full: everything; COVE_SWEEP_PART=2/6: every sixth of it, from the second on, to run six at once.
COVE_SWEEP_FAULT=PROCESS/CALL/K/ERROR repeats one fault and tells what happened.
"""

import collections
import errno
import os
import random
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import spawner_wire
import traces

FULL = os.environ.get("COVE_SWEEP") == "full"
SEED = int(os.environ.get("COVE_SWEEP_SEED", "3"))
ONLY = os.environ.get("COVE_SWEEP_FAULT")
PART, PARTS = map(int, os.environ.get("COVE_SWEEP_PART", "1/1").split("/"))
SAMPLE = 60       # faults besides the first and last of each kind
PATIENCE = 20     # seconds that a command with a fault in it may take
SETTLING = 15     # seconds after which everything of it must be gone

HEADER = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"
NUMBERS = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", traces.read(HEADER))}
NAMES = {number: name for name, number in NUMBERS.items()}

# Which call can fail how. Memory can be short for all of them.
MAKE_DESCRIPTORS = {"accept4", "clone3", "dup2", "eventfd2", "fcntl", "fsmount", "fsopen", "memfd_create", "open_tree", "openat", "openat2",
                    "pidfd_open", "pipe2", "signalfd4", "socket", "socketpair", "dup3"}
TAKE_ROOM = {"bind", "clone3", "fsconfig", "fsmount", "mkdir", "mkdirat", "mknodat", "mount", "move_mount", "open_tree", "openat", "pwrite64", "renameat", "symlinkat",
             "unshare", "write"}
CAN_WAIT = {"accept4", "connect", "openat", "openat2", "poll", "pread64", "pwrite64", "read", "recvfrom", "recvmsg", "sendmsg", "sendto", "wait4", "waitid", "write"}
CAN_BE_BUSY = {"accept4", "clone3", "read", "recvfrom", "recvmsg", "sendmsg", "sendto", "setresuid", "unshare", "write"}
# Calls that the kernel does not fail for want of anything, and a process's own memory, without which it ends.
CANNOT_FAIL = {"arch_prctl", "brk", "exit", "exit_group", "futex", "getegid", "geteuid", "getgid", "getpgid", "getpid", "getppid", "getrandom", "getsockopt", "gettid", "getuid", "madvise", "mmap",
               "mprotect", "munmap", "pause", "restart_syscall", "rseq", "rt_sigreturn", "sched_yield", "set_robust_list", "set_tid_address", "umask"}
ONLY_INTERRUPTED = {"wait4", "waitid"}  # of children that exist
SIGNALS = {"kill", "pidfd_send_signal"}  # to children of one's own: nothing is wanting

# A call that may fail unnoticed, and why nothing is lost by it.
TOLERATED = {
    ("*", "close"): "the descriptor is gone all the same",
    ("*", "poll"): "the loop goes round, and waits again",
    ("0.1", "read"): "it only holds a namespace until its parent has it, or is gone",
    ("0.1", "prctl"): "it only holds a namespace until its parent has it, or is gone",
    ("0.3.1:init", "sendto"): "what was not sent goes with what follows",
    ("0.3.1:init", "unlinkat"): "a leaf that stays goes with the sandbox's group",
    ("0.3.1:init", "newfstatat"): "asked again at the next turn",
    ("0.3.1:init", "openat"): "cpu.stat: the process's own times are told instead",
    ("0.3.1:init", "read"): "cpu.stat: the process's own times are told instead",
    ("0.3.1:init", "prlimit64"): "libc's own start: the size of the stack",
    ("0.3.1:init", "readlink"): "libc's own start: the origin of libraries, of which there are none",
}

# Where the failed call is the one that would tell of it, or the error has a meaning of its own: what is said instead.
NOBODY_CAN_TELL = {
    ("0", "sendmsg"): "the spawner has closed the connection",
    ("0.1", "write"): "nursery: unshare",
    ("0", "recvmsg"): "setup did not finish within",  # EAGAIN, from a socket with a time limit
}

SECCOMP_SET_MODE_FILTER = 1
DESTROY_BYTES = len(spawner_wire.destroy("a"))

Fault = collections.namedtuple("Fault", "process call occurrence error")
Call = collections.namedtuple("Call", "process name occurrence injected ended result arguments")


def text_of(fault):
    return f"{fault.process}/{fault.call}/{fault.occurrence}/{errno.errorcode[fault.error]}"


def fault_of(text):
    process, call, occurrence, error = text.split("/")
    return Fault(process, call, int(occurrence), getattr(errno, error))


def errors_of(call):
    if call in CANNOT_FAIL | SIGNALS:
        return []
    if call in ONLY_INTERRUPTED:
        return [errno.EINTR]
    return [errno.ENOMEM, *([errno.EMFILE] if call in MAKE_DESCRIPTORS else []), *([errno.ENOSPC] if call in TAKE_ROOM else []),
            *([errno.EINTR] if call in CAN_WAIT else []), *([errno.EAGAIN] if call in CAN_BE_BUSY else [])]


class Injector:
    """The tool at work on one spawner."""

    def __init__(self, *arguments):
        self.tool = subprocess.Popen([cove.program("inject"), *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE if "--" in arguments else None, text=True)
        self._read("ready")

    def _read(self, last):
        lines = []
        while (line := self.tool.stdout.readline().rstrip("\n")) != last:
            if not line:
                raise AssertionError(f"the injector has ended with {self.tool.wait(10)}")
            lines.append(line)
        return lines

    def tell(self, *words):
        self.tool.stdin.write(" ".join(map(str, words)) + "\n")
        self.tool.stdin.flush()
        return self._read("ok")

    def arm(self, fault):
        self.tell("arm", fault.process, NUMBERS[fault.call], fault.occurrence, fault.error)

    def record(self):
        self.tell("arm", "-", 0, 0, 0)

    def report(self):
        """The calls that were watched, and what else became of the processes."""
        calls, notes = [], []
        for line in self.tell("report"):
            kind, _, rest = line.partition(" ")
            if kind != "call":
                notes.append(line)
                continue
            process, *numbers = rest.split()
            number, occurrence, injected, ended, result, *arguments = map(int, numbers)
            calls.append(Call(process, NAMES.get(number, str(number)), occurrence, injected == 1, ended == 1, result, tuple(arguments)))
        return calls, notes

    def close(self):
        self.tool.stdin.close()
        self.tool.wait(30)
        self.tool.stdout.close()


def faults_of(calls):
    """Every fault that the recorded calls can meet, in their order."""
    return [Fault(call.process, call.name, call.occurrence, error) for call in calls for error in errors_of(call.name)]


def sample_of(faults):
    """Each kind of call of each process at its ends, with its errors in turn; and some of the rest."""
    ends = []
    for number, (process, call) in enumerate(sorted({(fault.process, fault.call) for fault in faults})):
        seen = {fault.occurrence for fault in faults if (fault.process, fault.call) == (process, call)}
        errors = errors_of(call)
        for turn, occurrence in enumerate(sorted({min(seen), max(seen)})):
            ends.append(Fault(process, call, occurrence, errors[(SEED + number + turn) % len(errors)]))
    rest = sorted(set(faults) - set(ends))
    return ends + random.Random(SEED).sample(rest, min(SAMPLE, len(rest)))


def chosen(faults):
    if ONLY:
        return [fault_of(ONLY)]
    return (faults if FULL else sample_of(faults))[PART - 1::PARTS]


def was_retried(calls):
    """The failed call was made again, with the same arguments, by the same process; or it was a question of libseccomp's."""
    at = next(number for number, call in enumerate(calls) if call.injected)
    failed = calls[at]
    installs = failed.arguments[0] == SECCOMP_SET_MODE_FILTER and failed.arguments[2] != 0
    if failed.name == "seccomp" and not installs:
        return True
    # A client whose request to destroy fails connects again and repeats it.
    if failed.process == "0" and sum(call.process == "0" and call.name == "accept4" and call.result >= 0 for call in calls) > 1:
        return True
    # What waits for something is asked again in the next turn of its loop.
    soon = 20 if failed.name in CAN_WAIT else 4
    return any((call.process, call.name, call.arguments) == (failed.process, failed.name, failed.arguments) for call in calls[at + 1:at + soon])


def is_tolerated(fault):
    return ("*", fault.call) in TOLERATED or (fault.process, fault.call) in TOLERATED


def names_its_cause(said, fault):
    """One line of ours, with the call or the step, and the kernel's reason."""
    if NOBODY_CAN_TELL.get((fault.process, fault.call), "\0") in said:
        return True
    return said.startswith("cove: ") and said.count("\n") == 1 and os.strerror(fault.error) in said and re.search(r"[a-z0-9_]+(\(|: )", said[6:])


def was_replaced(notes):
    """The process that init had born ahead did not come to its exec, and another was launched in its place."""
    executed = [note for note in notes if re.fullmatch(r"note \S+:init\.\d+ executed", note)]
    return len(executed) == 1 and ":init.1 " not in executed[0]


def judge(fault, done, calls, notes):
    """The class of an outcome, and what is wrong with it."""
    said = done.stderr.decode(errors="replace")
    fine = (done.returncode, done.stdout, said) == (0, b"marker\n", "")
    if not any(call.injected for call in calls):
        return "not met", None if fine else f"it failed without a fault: {done}"
    if fine:
        if was_retried(calls):
            return "tried again", None
        if was_replaced(notes):
            return "replaced", None
        return "went on", None if is_tolerated(fault) or is_of_an_ending(calls) else "the failure went unnoticed"
    if fault.error == errno.EINTR:
        return "interrupted", f"an interrupted call is to be tried again: {said!r}"
    if done.returncode == 0 or not said:
        return "silent", f"exit code {done.returncode}, {done.stdout!r}, {said!r}"
    if done.stdout and not is_after_the_program(fault):
        return "ran", f"the program ran although its setup failed: {said!r}"
    return "told", None if names_its_cause(said, fault) else f"it does not say what failed, or why: {said!r}"


def is_of_an_ending(calls):
    """The spawner's removal of what it was asked to destroy: nobody waits for it any more, and it is tried again until it works."""
    own = [call for call in calls if call.process == "0"]
    at = next((number for number, call in enumerate(own) if call.injected), 0)
    return any(call.name == "recvmsg" and call.result == DESTROY_BYTES for call in own[:at])


def is_after_the_program(fault):
    """Processes that have more to do when the program has run."""
    return fault.process == "0" or fault.process.endswith(":init")


class Sweep(cove.Test):
    """What the sweeps share: one fault at a time, and what must hold after it."""

    # One process after another: nothing is made ahead, and no child makes disks meanwhile.
    config = "ready = 0\ndisk = tmpfs\n"

    def begin(self):
        self.marker = f"{self.cove.state}/marker.sh"
        with open(self.marker, "w", encoding="ascii") as file:
            file.write("echo marker\n")
        self.counts = collections.Counter()
        self.problems = []

    def attempt(self, injector, fault):
        """A run with the fault in it. None: the command hangs."""
        injector.arm(fault)
        try:
            done = self.cove.run(self.marker, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            done = None
        return done

    def blame(self, fault, problem, calls=(), notes=()):
        trace = [f"{call.process} {call.name} = {call.result}{' <- injected' if call.injected else ''}" for call in calls]
        at = next((number for number, call in enumerate(calls) if call.injected), 0)
        shown = trace if ONLY else trace[max(0, at - 3):at + 6]
        again = f"COVE_SWEEP_FAULT={text_of(fault)} python3 tests/faults/sweep.py {type(self).__name__}"
        self.problems.append("\n    ".join([f"{text_of(fault)}: {problem}", *shown, *notes, f"again: {again}"]))
        print(self.problems[-1], file=sys.stderr, flush=True)

    def finish(self, started, faults):
        print(f"\n{type(self).__name__}: {len(faults)} faults{'' if FULL else f' (a sample, seed {SEED})'} in {time.monotonic() - started:.0f} s: "
              f"{dict(self.counts)}, {len(self.problems)} problems", file=sys.stderr)
        self.assertEqual(self.problems, [])


class Cycle(Sweep):
    """A spawner that serves, with its template's nursery made."""

    def setUp(self):
        self.begin()
        self.injector = None
        self.serve()

    def tearDown(self):
        if self.injector:
            self.injector.close()

    def serve(self):
        """A spawner, warm and watched; a new one when the last has died."""
        if self.injector:
            self.injector.close()
            self.cove.stop_spawner()
        self.check_run(self.cove.run(self.marker), 0, b"marker\n", b"")
        self.pid = self.cove.spawner_pid()
        traces.descriptors(self.pid)  # the question was a client of its own: it has gone when their number is steady
        self.usual = self.left()
        self.injector = Injector(self.pid)

    def is_alive(self):
        return os.path.exists(f"/proc/{self.pid}") and not cove.is_zombie(self.pid)

    def left(self):
        """What is there because of the instance: a sandbox that is gone has left none of it."""
        if not self.is_alive():
            return {"descriptors": "the spawner has died"}
        return {"descriptors": len(os.listdir(f"/proc/{self.pid}/fd")), "children": traces.children(self.pid), "sandboxes": self.cove.sandboxes(),
                "files": [name for name in traces.files(self.cove.run_directory) if name != "spawner.log"],
                "mounts": len(traces.mounts(self.pid)), "namespaces": len(traces.held_namespaces(self.pid))}

    def machine(self):
        """The whole picture. Network namespaces live by processes, mounts and descriptors, which are all in it."""
        picture = self.cove.traces()
        del picture["network namespaces"]
        return picture

    def check_nothing_left(self):
        """Empty when all is as before."""
        deadline = time.monotonic() + SETTLING
        while self.left() != self.usual:
            if time.monotonic() > deadline or not self.is_alive():
                now = self.left()
                return f"before, and left: {({key: (value, now.get(key)) for key, value in self.usual.items() if now.get(key) != value})}"
            time.sleep(0.005)
        return ""

    def recorded(self):
        """The calls of three whole lives: what one run did and another did not is swept as well."""
        seen = {}
        for _ in range(3):
            self.injector.record()
            self.check_run(self.cove.run(self.marker), 0, b"marker\n", b"")
            self.assertEqual(self.check_nothing_left(), "")
            calls, _ = self.injector.report()
            seen |= {call[:3]: call for call in calls}
        return list(seen.values())

    def test_every_call(self):
        started = time.monotonic()
        machine = self.machine()
        faults = chosen(faults_of(self.recorded()))
        for fault in faults:
            self.try_one(fault)
        self.assertEqual(self.machine(), machine)
        self.finish(started, faults)

    def try_one(self, fault):
        done = self.attempt(self.injector, fault)
        left = self.check_nothing_left()
        calls, notes = self.injector.report()
        if done is None:
            kind, problem = "hung", f"the command did not end within {PATIENCE} s"
        else:
            kind, problem = judge(fault, done, calls, notes)
        if not problem and not left and kind != "not met":
            after = self.cove.run("--", "true", timeout=PATIENCE)
            problem = None if after.returncode == 0 else f"the next run fails: {after}"
        self.counts[kind] += 1
        if ONLY:
            print(f"{text_of(fault)}: {kind}: {done}", *(f"{call.process} {call.name} = {call.result}" for call in calls), *notes, sep="\n    ", file=sys.stderr)
        if problem or left:
            self.blame(fault, "; ".join(filter(None, (problem, left))), calls, notes)
        if left or done is None or not self.is_alive():
            self.serve()


class FirstOfItsTemplate(Cycle):
    """A spawner that has made no sandbox yet: its first one makes the template's nursery."""

    def serve(self):
        if self.injector:
            self.injector.close()
        self.cove.stop_spawner()
        self.pid = self.cove.start_spawner().pid
        traces.descriptors(self.pid)
        self.injector = Injector(self.pid)

    def tearDown(self):
        super().tearDown()
        self.cove.stop_spawner()

    def recorded(self):
        """Up to the second clone: what follows is what every sandbox does."""
        self.injector.record()
        self.check_run(self.cove.run(self.marker), 0, b"marker\n", b"")
        calls, _ = self.injector.report()
        traces.descriptors(self.pid)
        self.usual = self.left()
        first, second = [number for number, call in enumerate(calls) if call.name == "clone3"][:2]
        return [call for call in calls[first:second] if call.process in ("0", "0.1")]

    def try_one(self, fault):
        self.serve()
        done = self.attempt(self.injector, fault)
        calls, notes = self.injector.report()
        kind, problem = ("hung", "the command did not end") if done is None else judge(fault, done, calls, notes)
        # The nursery is tried a second time, after idle ones have been let go.
        # Usually there are four children: nursery, id map, network, helper.
        clones = sum(call.name == "clone3" and call.process == "0" for call in calls)
        if kind == "went on" and (clones > 4 or any(re.match(r"note 0\.5\b", note) for note in notes)):
            kind, problem = "tried again", None
        self.counts[kind] += 1
        # It has its nursery after this at the latest, and nothing else.
        after = self.cove.run(self.marker, timeout=PATIENCE) if self.is_alive() else None
        if after is None or after.returncode != 0:
            problem = f"{problem}; the next run fails: {after}"
        left = self.check_nothing_left()
        if problem or left:
            self.blame(fault, f"{problem} {left}", calls, notes)


class Start(Sweep):
    """The spawner's own start: it serves, or it says what is in its way."""

    def test_every_call(self):
        self.begin()
        started = time.monotonic()
        _, _, calls, _ = self.start_with(None)
        own = [call for call in calls if call.process == "0"]
        serving = next(number for number, call in enumerate(own) if call.name == "accept4")
        faults = chosen(faults_of(own[:serving]))
        for fault in faults:
            self.try_one(fault)
        self.finish(started, faults)

    def tearDown(self):
        """Whatever the last attempt has left is found and removed by the next spawner."""
        self.check_run(self.cove.run(self.marker), 0, b"marker\n", b"")
        self.cove.stop_spawner()

    def start_with(self, fault):
        """Whether it serves, what it says, what was seen; it is stopped again."""
        injector = Injector("--", cove.program("cove-spawner"), "--state", self.cove.state, "--config", self.cove.config)
        try:
            injector.arm(fault) if fault else injector.record()
            injector.tell("from", NUMBERS["geteuid"])  # the first of its own: the loader's calls come before
            injector.tell("start")
            serves = []
            cove.wait_until(lambda: injector.tell("alive") == ["0"] or self.answers(serves), "the spawner serves or ends", PATIENCE)
            if serves:
                done = self.cove.run(self.marker, timeout=PATIENCE)
                self.assertEqual((done.returncode, done.stdout), (0, b"marker\n"), done)
                self.cove.call("spawner", "stop", timeout=PATIENCE)
            cove.wait_until(lambda: injector.tell("alive") == ["0"], "the spawner's end", PATIENCE)
            calls, notes = injector.report()
        finally:
            injector.close()
        with injector.tool.stderr as stream:
            return serves, stream.read(), calls, notes

    def answers(self, serves):
        try:
            with self.cove.connect() as client:
                serves += filter(None, [spawner_wire.ask(client, spawner_wire.status())])
        except OSError:
            pass  # not yet, or not any more
        return serves

    def try_one(self, fault):
        try:
            serves, said, calls, notes = self.start_with(fault)
        except AssertionError as error:
            self.counts["wrong"] += 1
            self.cove.stop_spawner()
            return self.blame(fault, str(error))
        met = any(call.injected for call in calls)
        kind, problem = "not met", None
        if serves and met:
            kind = "tried again" if was_retried(calls) else "went on"
            problem = None if kind == "tried again" or is_tolerated(fault) else "the failure went unnoticed"
        elif met:
            kind = "told"
            problem = None if said.startswith("cove-spawner: ") and os.strerror(fault.error) in said else f"it does not say what failed, or why: {said!r}"
            # libseccomp writes by itself, to memory, where nothing interrupts.
            if fault.error == errno.EINTR and "seccomp_export_bpf" not in said:
                problem = f"an interrupted call is to be tried again: {said!r}"
        self.counts[kind] += 1
        if ONLY:
            print(kind, said, *notes, sep="\n    ", file=sys.stderr)
        return self.blame(fault, problem, calls, notes) if problem else None


if __name__ == "__main__":
    cove.main()
