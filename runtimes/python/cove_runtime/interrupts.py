"""SIGINT: raises KeyboardInterrupt in a cell that runs, and does nothing between cells."""

import signal

from .guard import is_closed


class Interrupts:
    def __init__(self):
        self._running = False

    def arm(self):
        """The cell begins."""
        self._running = True

    def disarm(self):
        """The cell has ended: an interrupt that comes now is too late, and must not hit the next one."""
        self._running = False
        self.install()

    def install(self):
        signal.signal(signal.SIGINT, self._on_interrupt)

    def _on_interrupt(self, _signal, _frame):
        __tracebackhide__ = True
        if self._running and not is_closed():
            raise KeyboardInterrupt
