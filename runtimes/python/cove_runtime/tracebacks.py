"""An exception as text: IPython's traceback with the user's lines, or as much as can be had of it."""

import re
import traceback
import types
from importlib.util import find_spec

from IPython.core.error import UsageError

from .limits import MESSAGE, TRACEBACK, shorten


_CELL = re.compile(r"<ipython-input-(\d+)-[0-9a-f]+>")
_HIDDEN = re.compile(r" *\[\.\.\. skipping hidden \d+ frame\]\n\n?")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # of messages that were made for a terminal
_MANY_FRAMES = 60  # of an endless recursion: formatting a thousand takes a second, and nobody reads them


def describe(shell, kind, value, frames):
    """(name, message, traceback). Never raises, whatever the exception's own methods do."""
    message, is_whole = message_of(value)
    name = getattr(kind, "__name__", str(kind))
    if issubclass(kind, (UsageError, SystemExit)):
        return name, message, f"{name}: {message}" if message else name
    if issubclass(kind, KeyboardInterrupt) and not _reaches_a_cell(frames):
        return name, message, name  # it came while the shell prepared the next statement: no line of the user's was at work
    try:
        text = _by_ipython(shell, kind, value, frames) if is_whole else None
    except Exception:
        text = None
    if text is None:
        text = _plainly(name, message, frames)
    return name, _named_cells(message), shorten(_COLOURS.sub("", _named_cells(text)), TRACEBACK)


def message_of(value):
    """(str(value), whether that is all of it)."""
    try:
        text = str(value)
    except Exception as problem:
        return f"<its message cannot be shown: __str__ raised {type(problem).__name__}>", False
    return shorten(text, MESSAGE), len(text) <= MESSAGE


def _by_ipython(shell, kind, value, frames):
    if _has_group(value):
        return "".join(traceback.format_exception(kind, value, _below_ipython(frames)))
    if hasattr(value, "_render_traceback_"):
        lines = value._render_traceback_()
    elif issubclass(kind, SyntaxError):
        lines = shell.SyntaxTB.structured_traceback(kind, value, traceback.extract_tb(_below_ipython(frames)))
    else:
        # The first frame is the shell's own.
        frames, left_out = _worth_reading(frames)
        lines = shell.InteractiveTB.structured_traceback(kind, value, frames, tb_offset=1)
        if left_out:
            lines.insert(-1, f"({left_out} frames between the first and the last {_MANY_FRAMES // 2} are left out)\n")
    return _HIDDEN.sub("", shell.InteractiveTB.stb2text(lines))


def _plainly(name, message, frames):
    try:
        lines = traceback.format_tb(_below_ipython(frames), limit=50)
    except Exception:
        lines = []
    head = ["Traceback (most recent call last):\n"] if lines else []
    return "".join([*head, *lines, f"{name}: {message}"])


def _named_cells(text):
    return _CELL.sub(r"Cell In[\1]", text)


def _worth_reading(frames):
    """(frames, how many are missing)."""
    chain = []
    while frames is not None:
        chain.append(frames)
        frames = frames.tb_next
    shown = list(chain)
    while len(shown) > 1 and shown[-1].tb_frame.f_code.co_filename.startswith(_OWN):
        shown.pop()  # input() and the interrupt's handler: what called them is what matters
    left_out = max(len(shown) - _MANY_FRAMES, 0)
    if left_out:
        shown[_MANY_FRAMES // 2:-_MANY_FRAMES // 2] = []
    result = None
    for frame in reversed(shown):
        result = types.TracebackType(result, frame.tb_frame, frame.tb_lasti, _line(frame))
    return result, left_out


def _line(frame):
    """An interrupt may hit an instruction that belongs to no line, as a loop's jump back: it belongs to the line before."""
    if (frame.tb_lineno or 0) > 0:
        return frame.tb_lineno
    code = frame.tb_frame.f_code
    return max(((start, line) for start, _, line in code.co_lines() if line and start <= frame.tb_lasti), default=(0, code.co_firstlineno))[1]


def _reaches_a_cell(frames):
    while frames is not None and not _CELL.fullmatch(frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    return frames is not None


def _has_group(value):
    seen = set()
    while value is not None and id(value) not in seen:
        if isinstance(value, BaseExceptionGroup):
            return True
        seen.add(id(value))
        value = value.__cause__ or value.__context__
    return False


_OWN = find_spec(__package__).submodule_search_locations[0] + "/"
_MACHINERY = (find_spec("IPython").submodule_search_locations[0] + "/", _OWN)


def _below_ipython(frames):
    """The frames of user code: what stands above them is machinery."""
    while frames is not None and frames.tb_frame.f_code.co_filename.startswith(_MACHINERY):
        frames = frames.tb_next
    return frames
