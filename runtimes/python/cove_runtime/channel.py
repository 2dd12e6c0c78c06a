"""The socket to pid 1: a header line and a payload, whole or not at all, and only from the process that owns it."""

import fcntl
import os
import socket
import threading

from .guard import Guard

MAX_HEADER = 64
MAX_PAYLOAD = 4 << 20
_ACKNOWLEDGED = ("ready", "event")
# Out of the way of programs that close low descriptors or expect to be given them.
_LOWEST_DESCRIPTOR = 200


class Channel:
    def __init__(self, descriptor):
        high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _LOWEST_DESCRIPTOR)
        os.close(descriptor)
        self._socket = socket.socket(fileno=high)
        self._socket.setblocking(True)
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._unread = bytearray()
        self._told = 0  # messages that are to be acknowledged, and how many were
        self._seen = 0
        self.execution = 0
        os.register_at_fork(after_in_child=self._forget)

    def is_mine(self):
        """False in a process that user code forked: it has a copy of everything, and nothing to say here."""
        return os.getpid() == self._owner

    def send(self, messages):
        """[(verb, byte strings)] in one go. Another thread may send, too, and a signal may come at any time: neither gets in between."""
        if not self.is_mine():
            return
        with Guard(), self._lock:
            for verb, pieces in messages:
                header = f"{verb} {self.execution} {sum(map(len, pieces))}\n".encode("ascii")
                small = sum(map(len, pieces)) < 1 << 16
                for piece in [b"".join([header, *pieces])] if small else [header, *pieces]:
                    self._socket.sendall(piece)
                self._told += verb in _ACKNOWLEDGED
            self._wait_until_seen(self._told)

    def receive(self):
        """(verb, execution, payload), or None when the other side has hung up."""
        while True:
            while (message := self._next_message()) is not None:
                if message[0] != "seen":
                    return message
                self._seen += 1
            if not self._read():
                return None

    def _wait_until_seen(self, told):
        """What is written to descriptors 1 and 2 after an event is told after it. A thread does not wait: its output has no order anyway."""
        if self._seen == 0 or threading.current_thread() is not threading.main_thread():
            return  # who does not acknowledge `ready` acknowledges nothing
        while self._seen < told:
            if (message := self._next_message()) is not None:
                self._seen += message[0] == "seen"
            elif not self._read():
                return

    def _next_message(self):
        end = self._unread.find(b"\n", 0, MAX_HEADER)
        if end < 0:
            if len(self._unread) >= MAX_HEADER:
                raise ValueError("the channel's other end sent a header without an end")
            return None
        verb, execution, length = self._unread[:end].decode("ascii").split(" ")
        begin, length = end + 1, int(length)
        if len(self._unread) < begin + length:
            return None
        payload = bytes(self._unread[begin:begin + length])
        del self._unread[:begin + length]
        return verb, int(execution), payload

    def _read(self):
        received = self._socket.recv(1 << 18)
        self._unread += received
        return bool(received)

    def _forget(self):
        try:
            self._socket.close()
        except OSError:
            pass
