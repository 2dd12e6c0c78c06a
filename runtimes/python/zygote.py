"""The zygote of a template: an interpreter with the common packages imported, which contexts are forked from.

    python3 zygote.py LIBRARY CHANNEL

CHANNEL is a socket to the spawner. Everything that has to do with entering a sandbox is in LIBRARY, a C library of Cove's: a fork of this
process comes back from it as a process of its sandbox, with its runtime's channel and its environment, and nothing else.
What is imported here is named in a file of the template, one module to a line; the first that fails ends the zygote, and the spawner is told which.
"""

import ctypes
import importlib
import os
import stat
import sys

PRELOAD = "/usr/lib/cove/preload/python"
# Places agreed with the library.
RUNTIME = 4
BELONGINGS = 5
# Threads of these libraries would not survive a fork. Each is told how many it may have when a context knows its CPUs (cove_runtime/fork.py).
SINGLE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMEXPR_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
# What most first cells do, so that none of them pays for it.
CELLS = (
    "warm = 1 + 1\nwarm",
    "print('', end='')",
    "import os\nos.getcwd();",
    "[number * number for number in range(3)]",
    "def warm():\n    return {'warm': [1.5, None]}\nwarm()",
)
# And what those do that use a package of the preload list.
CELLS_WITH = {
    "pandas": ("import pandas\npandas.DataFrame({'k': list('aab'), 'v': [1, 2, 3]}).groupby('k').sum()",),
    # Drawn when the cell has ended; then it lets go of the files of its fonts.
    "matplotlib.pyplot": ("import matplotlib.pyplot\nmatplotlib.pyplot.plot([1, 2])\nmatplotlib.pyplot.title('warm');",
                          "import matplotlib.font_manager\nmatplotlib.font_manager._get_font.cache_clear()"),
}


def main():
    library = ctypes.PyDLL(sys.argv[1])
    channel = int(sys.argv[2])
    try:
        shell = _prepare()
    except BaseException as failure:
        library.cove_tell(channel, _told(failure))
        os._exit(1)
    _runtime().share()
    ctypes.pythonapi.PyOS_BeforeFork()
    library.cove_tell(channel, None)
    if not library.cove_await_calls(channel):
        os._exit(0)
    ctypes.pythonapi.PyOS_AfterFork_Child()
    _runtime().become()
    if not stat.S_ISFIFO(os.fstat(BELONGINGS).st_mode):
        _move_in()
        _runtime().serve(shell, RUNTIME)
        return
    # It comes before anybody asks: there is time to make the pages its own that a first cell would, and to get ready.
    _runtime().prime(shell, [*CELLS, *(CELLS_WITH["pandas"] if "pandas" in sys.modules else ())])
    _runtime().serve(shell, RUNTIME, move_in=_move_in)


class Unimportable(Exception):
    """Of the preload list; says which."""


def _prepare():
    os.environ.update(SINGLE)
    runtime = _runtime()
    sys.path[0] = ""  # it was this file's directory; user code finds its own working directory there
    shell = runtime.prepare()
    for name in _preload_list():
        try:
            importlib.import_module(name)
        except BaseException as failure:
            raise Unimportable(f"{name} of {PRELOAD} cannot be imported: {type(failure).__name__}: {failure}") from failure
    runtime.prime(shell, _cells())
    return shell


def _cells():
    return [*CELLS, *(code for name, codes in CELLS_WITH.items() if name in sys.modules for code in codes)]


def _runtime():
    return importlib.import_module("cove_runtime")


def _preload_list():
    try:
        with open(PRELOAD, encoding="utf-8") as file:
            lines = [line.partition("#")[0].strip() for line in file]
    except FileNotFoundError:
        return []
    return [line for line in lines if line]


def _told(failure):
    text = str(failure) if isinstance(failure, Unimportable) else f"{type(failure).__name__}: {failure}"
    return text.encode("ascii", "replace")[:480]


def _move_in():
    """The working directory and the environment come from pid 1, when somebody asks; nothing comes when nobody does any more."""
    with open(BELONGINGS, "rb") as file:
        text = file.read()
    if not text:
        os._exit(0)
    directory, *entries = text.split(b"\0")[:-1]
    environment = dict(os.fsdecode(entry).partition("=")[::2] for entry in entries)
    _runtime().move_in(environment, os.fsdecode(directory))


if __name__ == "__main__":
    main()
