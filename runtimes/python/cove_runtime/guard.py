"""When handlers of signals may run: in cells, and never in the middle of the runtime's own work.

Handlers of user code may raise wherever they run. A message half sent, or a request read and lost, would end the context. So signals are
blocked while the runtime works or waits, and come through in cells (`open_gate`, `close_gate`); a display in a cell closes the gate for as
long as its message takes (`Guard`).
With other threads alive the kernel may hand a signal to one of them, and Python then runs its handler here all the same; the interrupt's own
handler therefore asks `is_closed()` first.
"""

import signal
import threading
from _signal import pthread_sigmask  # signal's own turns every number into an enum, a tenth of a millisecond per call

# What a fault in this very thread raises cannot wait, and what asks the process to end need not.
_WAITING = signal.valid_signals() - {
    signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}


class _State:
    depth = 0  # of guards in the main thread
    late = False  # an interrupt came meanwhile


def is_closed():
    """For the interrupt's handler: nothing may be raised now. It is raised when the guard ends."""
    _State.late = _State.depth > 0
    return _State.late


def open_gate():
    """The handlers of what came while no cell ran are called now. What they raise is for nobody: this cell did not ask for it."""
    _State.depth, _State.late = 0, False
    try:
        pthread_sigmask(signal.SIG_UNBLOCK, _WAITING)
    except BaseException:
        pass


def close_gate():
    """Never raises: what strikes at this very moment has missed its cell."""
    while True:
        try:
            _State.depth = 1
            pthread_sigmask(signal.SIG_BLOCK, _WAITING)
            return
        except BaseException:
            continue


class Guard:
    """`with Guard():` in a cell: handlers that are due run before the first line or after the last one, and may raise there."""

    def __enter__(self):
        self._is_main = threading.current_thread() is threading.main_thread()
        self._before = pthread_sigmask(signal.SIG_BLOCK, ())
        self._count(+1)
        try:
            pthread_sigmask(signal.SIG_BLOCK, _WAITING)
        except BaseException:  # the call blocks first and then runs what was due
            self._count(-1)
            _set_quietly(self._before)
            raise
        return self

    def __exit__(self, *_):
        self._count(-1)
        pthread_sigmask(signal.SIG_SETMASK, self._before)
        if self._is_main and _State.depth == 0 and _State.late:
            _State.late = False
            raise KeyboardInterrupt

    def _count(self, step):
        if self._is_main:
            _State.depth += step


def _set_quietly(mask):
    try:
        pthread_sigmask(signal.SIG_SETMASK, mask)
    except BaseException:  # the mask is set all the same; the exception on its way is enough
        pass
