"""A program at a terminal of its own: type to it, wait for what it shows."""

import os
import pty
import re
import select
import signal
import time

PATIENCE = 60


class Terminal:
    def __init__(self, command, environment):
        self.shown = ""
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.execve(command[0], command, {**os.environ, **environment})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._terminal)

    def type(self, keys):
        os.write(self._terminal, keys.encode())

    def expect(self, pattern):
        """Waits until it is shown, and forgets everything up to it."""
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.shown)):
            if not select.select([self._terminal], [], [], max(0, deadline - time.monotonic()))[0]:
                raise AssertionError(f"{pattern!r} was not shown; shown was {self.shown!r}")
            self.shown += self._read()
        self.shown = self.shown[found.end():]

    def wait(self):
        """Its exit code."""
        deadline = time.monotonic() + PATIENCE
        while select.select([self._terminal], [], [], max(0, deadline - time.monotonic()))[0] and self._read():
            pass
        if time.monotonic() >= deadline:
            raise AssertionError("it has not ended")
        status = os.waitpid(self._pid, 0)[1]
        self._pid = 0
        return os.waitstatus_to_exitcode(status)

    def _read(self):
        try:
            return os.read(self._terminal, 4096).decode(errors="replace")
        except OSError:  # the other side has hung up
            return ""
