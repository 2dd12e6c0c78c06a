"""input() and sys.stdin: the text that came with the execution, line by line."""

import builtins
import getpass
import io
import sys


class GivenInput(io.StringIO):
    """sys.stdin of one execution."""

    def __init__(self, text):
        super().__init__(text or "")
        self.is_given = text is not None

    def fileno(self):
        return 0


def provide(text):
    """Called before each cell; a cell before may have replaced any of this."""
    sys.stdin = sys.__stdin__ = GivenInput(text)
    builtins.input = _input
    getpass.getpass = _getpass


def _input(prompt="", /):
    """Read a line from the stdin that was given to this execution."""
    __tracebackhide__ = True
    if prompt != "":
        print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if line:
        return line.removesuffix("\n")
    if getattr(sys.stdin, "is_given", True):
        raise EOFError("input(): the stdin given to this execution has been read to its end")
    raise EOFError("input(): no stdin was provided to this execution; pass the lines it should read as its stdin")


_input.__name__ = _input.__qualname__ = "input"


def _getpass(prompt="Password: ", stream=None, **_):
    __tracebackhide__ = True
    return _input(prompt)
