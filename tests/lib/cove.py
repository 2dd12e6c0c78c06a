"""Drives the real programs, each test class in a state directory of its own.

A private state directory has its own spawner, cgroups and run directory, so tests do not meet each other or an installed
Cove. Its templates are those of COVE_TEST_STATE, bound in inside a mount namespace of the test program's own: a test that is
killed leaves no mount behind. COVE_TEST_BIN says where the programs are.
"""

import ctypes
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

import traces

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.environ.get("COVE_TEST_BIN", os.path.join(os.path.dirname(TESTS), "build", "bin"))
SHARED_STATE = os.environ.get("COVE_TEST_STATE", "/var/lib/cove-test")

SLOWNESS = int(os.environ.get("COVE_TEST_SLOWNESS", "1"))  # how many times longer everything may take: an emulated machine
# On a disk: /tmp may be memory, where disks are made of memory too.
tempfile.tempdir = "/var/tmp"

PATIENCE = 120 * SLOWNESS  # seconds after which a command that should have ended is called hanging

CLONE_NEWNS = 0x00020000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
PR_SET_PDEATHSIG = 1
MNT_DETACH = 2
_libc = ctypes.CDLL(None, use_errno=True)


def _check(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def _own_mount_namespace():
    _check(_libc.unshare(CLONE_NEWNS), "unshare")
    _check(_libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "mount(private)")


def _bind(source, target):
    _check(_libc.mount(source.encode(), target.encode(), None, MS_BIND, None), f"mount({source})")


_own_mount_namespace()


def program(name):
    return os.path.join(BIN, name)


def tag_of(state):
    """The name of a state directory's run directory and cgroups: FNV-1a of its path."""
    value = 2166136261
    for byte in state.encode():
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return f"cove-{value:08x}"


class Instance:
    """A state directory, what runs on it, and how all of it goes away again."""

    def __init__(self, templates=("base",)):
        self.state = tempfile.mkdtemp(prefix="cove-state-")
        self.tag = tag_of(self.state)
        self.run_directory = f"/run/{self.tag}"
        self.socket = f"{self.run_directory}/spawner.sock"
        self.config = None
        self._binds = []
        self._children = []
        os.makedirs(f"{self.state}/templates/names", mode=0o700)
        for name in templates:
            self._share_template(name)

    def _share_template(self, name):
        with open(f"{SHARED_STATE}/templates/names/{name}", encoding="ascii") as file:
            digest = file.read().strip()
        target = f"{self.state}/templates/{digest}"
        os.mkdir(target)
        _bind(f"{SHARED_STATE}/templates/{digest}", target)
        self._binds.append(target)
        shutil.copy(f"{SHARED_STATE}/templates/names/{name}", f"{self.state}/templates/names/{name}")

    def digest(self, name="base"):
        with open(f"{self.state}/templates/names/{name}", encoding="ascii") as file:
            return file.read().strip()

    # Commands.

    def command(self, *arguments):
        options = ["--state", self.state]
        if self.config:
            options += ["--config", self.config]
        return [program("cove"), *options, *arguments]

    def call(self, *arguments, **options):
        """A whole command; bytes in, bytes out."""
        options.setdefault("stdin", None if "input" in options else subprocess.DEVNULL)
        if "input" in options:
            del options["stdin"]
        options.setdefault("timeout", PATIENCE)
        return subprocess.run(self.command(*arguments), capture_output=True, check=False, **options)

    def start(self, *arguments, **options):
        """A command that goes on while the test does something else."""
        for stream in ("stdin", "stdout", "stderr"):
            options.setdefault(stream, subprocess.PIPE)
        child = subprocess.Popen(self.command(*arguments), **options)
        self._children.append(child)
        return child

    def run(self, *arguments, **options):
        return self.call("run", *arguments, **options)

    def receipt(self, *arguments, **options):
        """`cove run --json`: the program's own output, and the object after it."""
        done = self.run("--json", *arguments, **options)
        output, _, last = done.stdout.rstrip(b"\n").rpartition(b"\n")
        try:
            return done, output, json.loads(last)
        except ValueError:
            raise AssertionError(f"no receipt: exit {done.returncode}, {done.stdout[-300:]!r}, {done.stderr[-600:]!r}") from None

    # The spawner.

    def start_spawner(self, name="cove-spawner", environment=None, arguments=()):
        """One that the test holds itself; returns when it serves."""
        child = self.try_spawner(name, environment, arguments)
        if child.poll() is not None:
            raise AssertionError(f"{name} has ended with {child.returncode}: {child.stderr.read()!r}")
        return child

    def try_spawner(self, name="cove-spawner", environment=None, arguments=()):
        """The same; it may also have ended."""
        if self.config and "--config" not in arguments:
            arguments = ("--config", self.config, *arguments)
        child = subprocess.Popen([program(name), "--state", self.state, *arguments], env=os.environ | (environment or {}), preexec_fn=end_with_the_test,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._children.append(child)
        wait_until(lambda: child.poll() is not None or self._spawner_is(child.pid), "the spawner serves", 30)
        return child

    def _spawner_is(self, pid):
        return self.spawner_pid() == pid

    def connect(self):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            client.connect(self.socket)  # blocking: with many at once it waits for its turn
            client.settimeout(PATIENCE)
        except OSError:
            client.close()
            raise
        return client

    def spawner_pid(self):
        """Of the process that listens; None when nobody does."""
        try:
            with self.connect() as client:
                return struct.unpack("iII", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        except OSError:
            return None

    def wait_for_disks(self):
        """Until the spawner has made the disks that it keeps ready, and taken apart those that it got back."""
        quiet = re.compile(rb"(\d+) of \1 ready .*, 0 being emptied, 0 being removed|disks: (?!loop)")
        wait_until(lambda: quiet.search(self.call("spawner", "status").stdout), "disks to be ready", 60)

    def stop_spawner(self):
        pid = self.spawner_pid()
        if pid is None:
            return
        self.call("spawner", "stop")
        wait_until(lambda: not os.path.exists(f"/proc/{pid}") or is_zombie(pid), "the spawner's end", 30)

    def configure(self, text):
        self.config = f"{self.state}/cove.conf"
        with open(self.config, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(self.config, 0o600)

    # What exists on the machine because of this instance.

    def traces(self):
        return traces.of_instance(self.tag, self.run_directory)

    def sandboxes(self):
        return traces.sandbox_names(self.tag, self.run_directory)

    def wait_for_sandboxes(self, count, limit=30):
        wait_until(lambda: len(self.sandboxes()) == count, f"{count} sandboxes, there are {self.sandboxes()}", limit)

    def close(self):
        """Ends everything and says what could not be ended or was left by the product itself."""
        for child in self._children:
            end(child)
        # A spawner that takes over removes what a killed one has left.
        if self.sandboxes():
            self.call("spawner", "stop")
            self.start_spawner()
            self.wait_for_sandboxes(0)
        self.stop_spawner()
        for child in self._children:
            end(child)
        left = traces.beyond_state(self.tag, self.run_directory)
        traces.remove_groups(self.tag)
        shutil.rmtree(self.run_directory, ignore_errors=True)
        for target in self._binds:
            _check(_libc.umount2(target.encode(), MNT_DETACH), f"umount({target})")
        shutil.rmtree(self.state)
        return left


def is_zombie(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False


def end(child):
    if child.poll() is None:
        child.kill()
    child.wait()
    for stream in (child.stdin, child.stdout, child.stderr):
        if stream:
            try:
                stream.close()
            except BrokenPipeError:
                pass


def end_with_the_test():
    """A test that is killed cannot end what it has started: the kernel does it then."""
    _check(_libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM), "prctl(PR_SET_PDEATHSIG)")


def wait_until(condition, what, limit=30):
    limit *= SLOWNESS
    deadline = time.monotonic() + limit
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"after {limit} s still waiting for: {what}")
        time.sleep(0.01)


class Test(unittest.TestCase):
    """A class of tests shares one instance, which must leave nothing behind."""

    templates = ("base",)
    config = ""  # the spawner's configuration
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.cove = Instance(cls.templates)
        if cls.config:
            cls.cove.configure(cls.config)

    @classmethod
    def tearDownClass(cls):
        left = cls.cove.close()
        if left:
            raise AssertionError("left behind: " + "; ".join(left))

    def check_run(self, done, code, stdout=None, stderr=None):
        """Exit code and, where given, the exact bytes of both streams."""
        said = f"stdout {done.stdout[-400:]!r} stderr {done.stderr[-400:]!r}"
        self.assertEqual(done.returncode, code, said)
        if stdout is not None:
            self.assertEqual(done.stdout, stdout, said)
        if stderr is not None:
            self.assertEqual(done.stderr, stderr, said)

    def check_refused(self, done, code, *words):
        """Ended with this code, said each of the words on stderr, nothing on stdout, and is one clear line."""
        self.check_run(done, code, stdout=b"")
        text = done.stderr.decode()
        for word in words:
            self.assertIn(word, text)
        self.assertNotIn("terminate called", text)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    unittest.main(verbosity=2)
