"""Drives a runtime as pid 1 of a sandbox would: a plain child with a socket and two pipes, every message noted in order.

Output is kept as events of its own ("stdout", "stderr"), put before the message that followed it, as pid 1 does: both pipes are read
empty before a message is passed on.
"""

import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import time

SLOWNESS = int(os.environ.get("COVE_TEST_SLOWNESS", "1"))
PATIENCE = 60 * SLOWNESS  # seconds after which a runtime that should have answered is called hanging
AGAIN = 5 * SLOWNESS  # and after which an interrupt is repeated: one that comes between Python's last look and a blocking call waits for its end
MAX_PAYLOAD = 4 << 20


class Died(Exception):
    """The runtime ended; its status as Popen says it."""


def _changes_root(root, directory):
    def enter():
        os.chroot(root)
        os.chdir(directory or "/")
    return enter


class Runtime:
    def __init__(self, command, cwd=None, environment=None, acknowledges=True, root=None):
        ours, theirs = socket.socketpair()
        self._pipes = {}
        self._was_interrupted = False
        writers = []
        for name in ("stdout", "stderr"):
            reader, writer = os.pipe()
            fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 1 << 20)
            os.set_blocking(reader, False)
            self._pipes[reader] = name
            writers.append(writer)
        environment = dict(os.environ if environment is None else environment, COVE_CHANNEL=str(theirs.fileno()))
        self.child = subprocess.Popen(
            command, cwd=None if root else cwd, env=environment, preexec_fn=_changes_root(root, cwd) if root else None, stdin=subprocess.DEVNULL, stdout=writers[0], stderr=writers[1],
            pass_fds=[theirs.fileno()], start_new_session=True)
        theirs.close()
        for writer in writers:
            os.close(writer)
        self._socket = ours
        self._buffer = bytearray()
        self._parts = bytearray()
        self._events = []
        self._number = 0
        self._acknowledges = acknowledges
        self.stray = []  # what no execution claims
        verb, number, payload = self._message(time.monotonic() + PATIENCE)
        assert (verb, number) == ("ready", 0), (verb, number, payload)
        self._acknowledge(number)
        self.ready = json.loads(payload)

    def run(self, code, stdin=None, interrupt_on=None, **more):
        """Runs a cell; all events in order, the last of them done. `interrupt_on`: SIGINT when stdout has shown this text."""
        self.start(code, stdin, **more)
        return self.finish(interrupt_on)

    def start(self, code, stdin=None, **more):
        self._number += 1
        payload = json.dumps({"code": code, "stdin": stdin, **more}).encode()
        self._socket.sendall(f"execute {self._number} {len(payload)}\n".encode() + payload)

    def finish(self, interrupt_on=None):
        deadline = time.monotonic() + PATIENCE
        self._events = []
        self._was_interrupted = False
        while True:
            verb, number, payload = self._message(deadline, interrupt_on)
            if verb == "event":
                self._acknowledge(number)
            if number == 0:
                self.stray.append((verb, payload))
                continue
            assert number == self._number, f"a message of execution {number} during {self._number}: {verb} {payload[:200]}"
            if verb == "done":
                self._events.append({"type": "done", **json.loads(payload)})
                return self._events
            self._keep(verb, payload)

    def interrupt(self):
        self.child.send_signal(signal.SIGINT)

    def drain(self):
        """What has been written since, while no execution ran."""
        self._events = []
        self._read_pipes()
        return self._events

    def close(self):
        """Ends the child and everything it started. The status it had, or has now that its channel is gone."""
        self._socket.close()
        try:
            status = self.child.wait(10 * SLOWNESS)
        except subprocess.TimeoutExpired:
            status = None
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.child.wait()
        for reader in self._pipes:
            os.close(reader)
        self._pipes = {}
        return status

    def _acknowledge(self, number):
        if self._acknowledges:
            self._socket.sendall(f"seen {number} 0\n".encode())

    def _keep(self, verb, payload):
        self._parts += payload
        assert len(payload) <= MAX_PAYLOAD, "a payload is larger than the protocol allows"
        if verb == "part":
            return
        assert verb == "event", verb
        head, _, rest = bytes(self._parts).partition(b"\n")
        self._parts.clear()
        length = int(head)
        event, binary = json.loads(rest[:length]), rest[length:]
        for mime, value in event.get("data", {}).items():
            if isinstance(value, dict) and list(value) == ["bytes"]:
                begin, size = value["bytes"]
                event["data"][mime] = binary[begin:begin + size]
        self._events.append(event)

    def _message(self, deadline, interrupt_on=None):
        while True:
            head, mark, rest = self._buffer.partition(b"\n")
            if mark:
                assert len(head) < 64, f"a header is too long: {head!r}"
                verb, number, length = head.decode("ascii").split(" ")
                if len(rest) >= int(length):
                    self._read_pipes()
                    payload = bytes(rest[:int(length)])
                    self._buffer = rest[int(length):]
                    return verb, int(number), payload
            self._wait(deadline)
            interrupt_on = self._interrupt_when_seen(interrupt_on)

    def _wait(self, deadline):
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"no answer within {PATIENCE} s; so far: {self._events}")
        ready = select.select([self._socket, *self._pipes], [], [], min(left, AGAIN))[0]
        if not ready and self._was_interrupted:
            self.interrupt()
        if any(reader in self._pipes for reader in ready):
            self._read_pipes()
        if self._socket in ready:
            try:
                received = self._socket.recv(1 << 20)
            except ConnectionResetError:  # it ended with something of ours unread
                received = b""
            if not received:
                self._read_pipes()
                raise Died(self.child.wait(PATIENCE))
            self._buffer += received

    def _interrupt_when_seen(self, text):
        if text is None or not any(event["type"] == "stdout" and text in event["text"] for event in self._events):
            return text
        self.interrupt()
        self._was_interrupted = True
        return None

    def _read_pipes(self):
        for reader, name in list(self._pipes.items()):
            while True:
                try:
                    data = os.read(reader, 1 << 20)
                except BlockingIOError:
                    break
                if not data:
                    os.close(reader)
                    del self._pipes[reader]
                    break
                self._keep_output(name, data.decode("utf-8", "replace"))

    def _keep_output(self, name, text):
        """Between two messages the two pipes have no order: what came to stdout is told first."""
        at = len(self._events)
        while at and self._events[at - 1]["type"] in ("stdout", "stderr"):
            at -= 1
            if self._events[at]["type"] == name:
                self._events[at]["text"] += text
                return
        self._events.insert(at if name == "stdout" else len(self._events), {"type": name, "text": text})
