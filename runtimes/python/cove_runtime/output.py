"""Standard output and error: descriptors 1 and 2, found again whatever a cell has done to them."""

import ctypes
import faulthandler
import fcntl
import io
import os
import sys

_LOWEST_DESCRIPTOR = 200
_LINE_BUFFERED = 1


class Output:
    def __init__(self):
        self._kept = {}  # descriptor: a private copy of what it was
        self._streams = {}
        self._c_library = ctypes.CDLL(None)
        self._c_stdout = ctypes.c_void_p.in_dll(self._c_library, "stdout")

    def adopt(self):
        """Descriptors 1 and 2 as they are now are the right ones. Called when serving begins, never before a fork."""
        self._kept = {number: fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _LOWEST_DESCRIPTOR) for number in (1, 2)}
        # What C code prints comes out line by line, like what Python prints.
        self._c_library.setvbuf(self._c_stdout, None, _LINE_BUFFERED, 0)
        self._streams = {}
        self.recover()
        faulthandler.enable(2)  # a crash says where

    def recover(self):
        """Before and after each cell: both descriptors are open and ours, and sys.stdout and sys.stderr write to them."""
        self.flush()
        for number, kept in self._kept.items():
            if not _same_file(number, kept):
                try:
                    os.dup2(kept, number)
                except OSError:
                    pass  # the cell closed every descriptor it could find; its output is lost, its state is not
        for name, number in (("stdout", 1), ("stderr", 2)):
            stream = self._streams.get(name)
            if stream is None or stream.closed:
                stream = self._streams[name] = _stream(number, name)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)

    def flush(self):
        """Everything printed so far is in the pipes afterwards. A stream that user code broke is its own affair."""
        for stream in {id(s): s for s in (sys.stdout, sys.stderr, *self._streams.values())}.values():
            try:
                stream.flush()
            except Exception:
                pass
        self._c_library.fflush(self._c_stdout)


def _stream(number, name):
    # closefd: sys.stdout.close() must not free the number 1 for the next file that is opened.
    raw = io.FileIO(number, "w", closefd=False)
    raw.name = f"<{name}>"
    return io.TextIOWrapper(io.BufferedWriter(raw, 1 << 16), encoding="utf-8", errors="backslashreplace", line_buffering=True)


def _same_file(one, other):
    try:
        a, b = os.fstat(one), os.fstat(other)
    except OSError:
        return False
    return (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)
