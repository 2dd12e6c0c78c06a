"""Zygotes and sandboxes that want more than is theirs: what a hostile package of a preload list reaches, and what a hostile sandbox
gets of a context that comes into it."""

import glob
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import visitor
from zygotes import Zygotes

# Tries everything at its import; `reached` says what worked. Run as it is by the machine's root it reaches all of it.
HOSTILE = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
reached = []

def attempt(name, function):
    try:
        if function() != -1:
            reached.append(name)
    except OSError:
        pass

def connect(family, address):
    with socket.socket(family) as client:
        client.settimeout(5)
        client.connect(address)

def enter(pid, space):
    descriptor = libc.syscall(434, pid, 0)  # pidfd_open
    entered = libc.setns(descriptor, space)
    if descriptor >= 0:
        os.close(descriptor)
    return entered

attempt("host file", lambda: os.stat(CANARY))
attempt("host proc", lambda: os.listdir("/proc/1"))
attempt("signal spawner", lambda: os.kill(SPAWNER, 0))
attempt("signal neighbour", lambda: os.kill(NEIGHBOUR, 0))
attempt("host abstract socket", lambda: connect(socket.AF_UNIX, chr(0) + ABSTRACT))
attempt("host network", lambda: connect(socket.AF_INET, ("127.0.0.1", PORT)))
for name, pid in (("spawner", SPAWNER), ("neighbour", NEIGHBOUR)):
    attempt(f"network of {name}", lambda: enter(pid, 0x40000000))
    attempt(f"ipc of {name}", lambda: enter(pid, 0x08000000))
attempt("become root", lambda: os.setresuid(0, 0, 0))
attempt("mount", lambda: libc.mount(b"none", b"/", None, 0x44000, None))
attempt("new user namespace", lambda: libc.unshare(0x10000000))
"""
EXPECTED = {"host file", "host proc", "signal spawner", "signal neighbour", "host abstract socket", "host network", "network of spawner", "ipc of spawner",
            "network of neighbour", "ipc of neighbour",
            "become root", "mount", "new user namespace"}
# A zygote that serves by itself, and lies: it says of itself that it is the newcomer.
LIAR = """
import array, os, socket, struct, time
channel = socket.socket(fileno=3)
channel.send(struct.pack("=IIi492s", 0x4f475a43, 1, 0, b""))
while True:
    words, control, _, _ = channel.recvmsg(64, 4096)
    fds = array.array("i")
    fds.frombytes(control[0][2])
    gate = socket.socket(fileno=fds[7])
    gate.send(struct.pack("=IIi492s", 0x4f475a43, ANSWER, 0, b"\\x1b[31m" * 9))
    time.sleep(1)
    gate.close()
"""

# Goes on until it is told to stop: looks into every process that it did not know before, by every way that there is.
WATCH = """
import ctypes, glob, os, time
libc = ctypes.CDLL(None, use_errno=True)
known, found, seen = set(map(int, filter(str.isdigit, os.listdir('/proc')))), [], 0
newest = max(known)
end = time.monotonic() + SECONDS
while time.monotonic() < end and not os.path.exists('/tmp/stop'):
    for pid in range(newest + 1, newest + 6):
        try: os.kill(pid, 0)
        except ProcessLookupError: continue
        except PermissionError: pass
        seen += 1
        for path in glob.glob(f'/proc/{pid}/fd/*'):
            try: found.append(os.readlink(path))
            except OSError: pass
        for name in ('mem', 'environ', 'maps'):
            try: os.close(os.open(f'/proc/{pid}/{name}', os.O_RDWR if name == 'mem' else os.O_RDONLY)); found.append(name)
            except OSError: pass
        pidfd = libc.syscall(434, pid, 0)
        for number in range(64):
            if libc.syscall(438, pidfd, number, 0) >= 0: found.append(f'stolen {number}')
        if pidfd >= 0: os.close(pidfd)
        if found and STOP_WHEN_FOUND: break
print(seen > 0, sorted(set(found)))
"""


class HostilePackage(Zygotes):
    def test_reaches_nothing_of_the_host_and_no_other_templates_sandboxes(self):
        names = self.make_targets()
        code = "\n".join(f"{key} = {value!r}" for key, value in names.items()) + HOSTILE
        self.assertEqual(self.run_as_root(code), EXPECTED, "where nothing is in the way, all of it works")
        about = ("descriptors = [n for n in range(1024) if not _fails(os.fstat, n)]\n"
                 "ids = os.getresuid() + os.getresgid() + tuple(os.getgroups())\n"
                 "writable = [place for place in ('/', '/usr', '/home/user', '/dev', '/tmp') if not _fails(os.mkdir, place + '/here')]\n")
        helper = "\ndef _fails(call, *arguments):\n    try: call(*arguments)\n    except OSError: return True\n    return False\n"
        template = self.variant(["hostile"], hostile="import os" + helper + about + code)
        sandbox = self.visitor.sandbox(template)
        told = self.visitor.run(self.visitor.enter(sandbox), "import hostile\nprint([hostile.reached, hostile.descriptors, hostile.ids, hostile.writable])")["out"]
        reached, descriptors, ids, writable = eval(told)
        self.assertEqual(reached, [])
        self.assertEqual(descriptors, [0, 1, 2, 3], "its input and output, which are /dev/null, and its channel")
        self.assertTrue(all(1 << 20 <= number for number in ids), ids)
        self.assertEqual(writable, ["/tmp"], "and of that nothing is there in a sandbox")
        self.assertEqual(self.visitor.ask("command", sandbox=sandbox, argv=["ls", "/tmp"])["out"], "")

    def make_targets(self):
        neighbour = self.visitor.sandbox(self.cove.digest("base"))
        self.visitor.ask("command", sandbox=neighbour, argv=["true"])
        record = glob.glob(f"{self.cove.run_directory}/sandboxes/*.record")
        with open(record[0], encoding="ascii") as file:
            pid = next(int(line[4:]) for line in file if line.startswith("pid="))
        canary = f"{self.cove.state}/canary"
        with open(canary, "w", encoding="ascii") as file:
            file.write("alive")
        listeners = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_INET)]
        for listener, address in zip(listeners, ("\0" + self.cove.tag, ("127.0.0.1", 0))):
            self.addCleanup(listener.close)
            listener.bind(address)
            listener.listen()
        return {"CANARY": canary, "SPAWNER": self.spawner.pid, "NEIGHBOUR": pid, "ABSTRACT": self.cove.tag, "PORT": listeners[1].getsockname()[1]}

    def run_as_root(self, code):
        """In a child whose namespaces are its own from there on."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            names = {}
            try:
                exec(code, names)
            finally:
                os.write(writer, repr(set(names.get("reached", ()))).encode())
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as told:
            reached = eval(told.read())
        os.waitpid(child, 0)
        return reached


class LyingZygote(Zygotes):
    def refuse(self, answer, words):
        template = self.variant(["liar"], liar=f"ANSWER = {answer}" + LIAR)
        sandbox = self.visitor.sandbox(template)
        with self.assertRaisesRegex(visitor.Refused, words) as refused:
            self.visitor.enter(sandbox)
        self.assertNotIn("\x1b", str(refused.exception))
        # Nobody was moved, and everybody else is served.
        self.assertEqual(self.visitor.ask("command", sandbox=sandbox, argv=["echo", "on"])["out"], "on\n")
        other = self.visitor.sandbox(self.plain)
        self.assertEqual(self.visitor.run(self.visitor.enter(other), "print(1)")["out"], "1\n")

    def test_cannot_have_a_process_moved_that_it_did_not_bear(self):
        self.refuse(3, "did not bear")

    def test_cannot_say_that_somebody_is_in(self):
        self.refuse(5, "out of turn")

    def test_cannot_speak_nonsense(self):
        self.refuse(99, "nonsense")

    def test_that_bears_nobody_is_given_up(self):
        template = self.variant(["idler"], idler="import os, struct, time\nos.write(3, struct.pack('=IIi492s', 0x4f475a43, 1, 0, b''))\ntime.sleep(1000)")
        before = set(self.zygotes())
        sandbox = self.visitor.sandbox(template)
        with self.assertRaisesRegex(visitor.Refused, "did not arrive"):
            self.visitor.enter(sandbox)
        cove.wait_until(lambda: set(self.zygotes()) <= before, "the idle zygote's end")

    def test_tells_a_failure_in_plain_letters(self):
        self.refuse(6, r"failed to \?\[31m")


class HostileSandbox(Zygotes):
    """A process of the sandbox's user watches while another context comes in."""

    def watch(self, seconds, until_found):
        code = WATCH.replace("SECONDS", str(seconds)).replace("STOP_WHEN_FOUND", str(until_found))
        return ["python3", "-c", code]

    def test_gets_nothing_of_a_newcomer_on_its_way(self):
        sandbox = self.visitor.sandbox(self.plain)
        spy = self.visitor.enter(sandbox)
        start = ("import subprocess\n"
                 f"spy = subprocess.Popen({self.watch(60, False)!r}, stdout=subprocess.PIPE, text=True)")
        self.assertEqual(self.visitor.run(spy, start)["cause"], "ok")
        self.visitor.run(spy, "import time; time.sleep(1)")
        for _ in range(5):
            context = self.visitor.enter(sandbox)
            self.visitor.run(context, "import os, time; time.sleep(0.2); os._exit(0)")
        self.visitor.run(spy, "open('/tmp/stop', 'w').close()")
        seen, found = eval(self.visitor.run(spy, "out = spy.communicate()[0]; print(tuple([out.split(' ', 1)[0] == 'True', out.split(' ', 1)[1]]))")["out"])
        self.assertTrue(seen, "the newcomers were there to be looked at")
        found = set(eval(found))
        self.assertTrue(any(what.startswith("pipe:") for what in found), "and looking works: a context that runs is open to its user")
        # A context that runs code is open to its own user, as every process is; what it has is a context's.
        foreign = {what for what in found if not what.startswith(("/dev/null", "pipe:", "socket:", "anon_inode:[eventpoll]", "/memfd:context", "mem", "environ", "maps"))}
        self.assertEqual(foreign, set(), "namespaces, stolen descriptors")


if __name__ == "__main__":
    cove.main()
