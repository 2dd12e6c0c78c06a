"""The zygote of a template: an interpreter with the common packages imported, which contexts are forked from.

    python3 zygote.py LIBRARY CHANNEL

CHANNEL is a socket to the spawner. Everything that has to do with entering a sandbox is in LIBRARY, a C library of Cove's: a fork of this
process comes back from it as a process of its sandbox, with its runtime's channel and its environment, and nothing else.
What is imported here is named in a file of the template, one module to a line; the first that fails ends the zygote, and the spawner is told which.
"""

import ctypes
import gc
import importlib
import os
import sys

PRELOAD = "/usr/lib/cove/preload/python"
# Places agreed with the library.
RUNTIME = 4
BELONGINGS = 5
# What most first cells do, so that none of them pays for it.
CELLS = (
    "warm = 1 + 1\nwarm",
    "print('', end='')",
    "import os\nos.getcwd();",
    "[number * number for number in range(3)]",
    "def warm():\n    return {'warm': [1.5, None]}\nwarm()",
)


def main():
    library = ctypes.PyDLL(sys.argv[1])
    channel = int(sys.argv[2])
    try:
        shell = _prepare()
    except BaseException as failure:
        library.cove_tell(channel, _told(failure))
        os._exit(1)
    # Until a fork of this process changes a page, all of them share it; a collection would change all pages.
    gc.collect()
    gc.freeze()
    ctypes.pythonapi.PyOS_BeforeFork()
    library.cove_tell(channel, None)
    if not library.cove_await_calls(channel):
        os._exit(0)
    ctypes.pythonapi.PyOS_AfterFork_Child()
    directory, environment = _belongings()
    _runtime().become(environment, directory)
    _runtime().serve(shell, RUNTIME)


class Unimportable(Exception):
    """Of the preload list; says which."""


def _prepare():
    runtime = _runtime()
    sys.path[0] = ""  # it was this file's directory; user code finds its own working directory there
    shell = runtime.prepare()
    for name in _preload_list():
        try:
            importlib.import_module(name)
        except BaseException as failure:
            raise Unimportable(f"{name} of {PRELOAD} cannot be imported: {type(failure).__name__}: {failure}") from failure
    runtime.prime(shell, CELLS)
    return shell


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


def _belongings():
    """The working directory and the environment, by the names that pid 1 was given."""
    size = os.fstat(BELONGINGS).st_size
    directory, *entries = os.pread(BELONGINGS, size, 0).split(b"\0")[:-1]
    os.close(BELONGINGS)
    environment = dict(os.fsdecode(entry).partition("=")[::2] for entry in entries)
    return os.fsdecode(directory), environment


if __name__ == "__main__":
    main()
