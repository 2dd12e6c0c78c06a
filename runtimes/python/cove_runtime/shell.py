"""IPython's shell in this process: no kernel, no history file, no terminal, nothing written to the home directory."""

import contextlib
import sys

from IPython.core import page
from IPython.core.autocall import ExitAutocall
from IPython.core.interactiveshell import InteractiveShell

from . import commands, tracebacks
from .displays import Hook, Publisher
from .figures import BACKEND


class Exit(ExitAutocall):
    """exit, exit() and exit(3) in a cell: what they are in a script."""

    rewrite = False

    def __call__(self, code=None):
        raise SystemExit(code)


class Shell(InteractiveShell):
    displayhook_class = Hook
    display_pub_class = Publisher

    def __init__(self, outlet, loops, installs, **more):
        self.outlet = outlet
        self.loops = loops
        self.installs = installs
        self.figures = None
        self._memory = {}
        super().__init__(**more)
        self.loop_runner = loops.run
        self.set_hook("show_in_pager", page.as_hook(page.display_page), 90)
        exits = dict.fromkeys(("exit", "quit"), Exit(self))
        self.user_ns.update(exits)
        self.user_ns_hidden.update(exits)

    # IPython would make directories in the home directory for these.
    def init_ipython_dir(self, ipython_dir):
        pass

    def init_profile_dir(self, profile_dir):
        pass

    @property
    def db(self):
        return self._memory

    @db.setter
    def db(self, value):
        self._memory = value

    def init_virtualenv(self):
        pass  # the template decides which interpreter and packages there are

    @contextlib.contextmanager
    def _tee(self, channel):
        yield  # IPython would keep a copy of everything printed

    def _format_exception_for_storage(self, exception, filename=None, running_compiled_code=False):
        return {}  # made once, in showtraceback, is enough

    def showtraceback(self, exc_tuple=None, *_, **__):
        """Where every exception of a cell arrives; the middle of an interrupt included."""
        kind, value, frames = exc_tuple or sys.exc_info()
        if kind is None:
            return
        if self.loops.was_interrupted(value):
            kind, value = KeyboardInterrupt, KeyboardInterrupt()
        if issubclass(kind, SystemExit):
            return  # the execution tells about it: an exit with 0 is no error
        sys.last_type, sys.last_value, sys.last_traceback = kind, value, frames
        try:
            described = tracebacks.describe(self, kind, value, frames)
        except KeyboardInterrupt:  # while that was being made
            described = ("KeyboardInterrupt", "", "KeyboardInterrupt")
        if self.outlet.channel is not None and not self.outlet.channel.is_mine():
            print(described[2], file=sys.stderr)  # a forked child has no other place for it
            return
        self.outlet.error(*described)

    def showsyntaxerror(self, filename=None, running_compiled_code=False):
        self.showtraceback()

    def showindentationerror(self):
        self.showtraceback()

    def system(self, cmd):
        """!command. Its output goes to our descriptors, and an interrupt ends it."""
        self.user_ns["_exit_code"] = commands.run(self.var_expand(cmd, depth=1), self.outlet.output)
        self.installs.refresh()

    system_raw = system_piped = system

    def enable_matplotlib(self, gui=None):
        """%matplotlib, whatever is asked for: inline is what there is."""
        import matplotlib

        matplotlib.use(BACKEND, force=True)
        return "inline", BACKEND

    def enable_gui(self, gui=None):
        pass

    def ask_exit(self):
        raise SystemExit(0)
