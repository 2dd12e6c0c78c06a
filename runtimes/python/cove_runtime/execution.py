"""One cell, from its code to `done`, and everything put right again before and after it."""

import builtins
import os
import sys

from . import given_input
from .guard import close_gate, open_gate
from .tracebacks import message_of

_BUILTINS = dict(vars(builtins))


class Execution:
    def __init__(self, shell, interrupts):
        self._shell = shell
        self._interrupts = interrupts

    def run(self, code, stdin):
        """What `done` says."""
        self._before(stdin)
        try:
            try:
                outcome = self._cell(code)
            finally:
                close_gate()
        except BaseException as problem:  # nothing that user code does gets past here
            outcome = problem
        close_gate()
        self._settle()
        if not self._shell.outlet.channel.is_mine():
            _leave_child(outcome)
        return self._verdict(outcome)

    def check(self, code):
        """Whether the code is a whole cell; nothing of it is run."""
        self._shell.outlet.begin()
        self._shell.outlet.completeness(self._shell.check_complete(code)[0])
        return {"status": "ok", "exit_code": None}

    def _before(self, stdin):
        _restore_builtins()
        self._shell.outlet.output.recover()
        given_input.provide(stdin)
        self._shell.installs.refresh()
        self._shell.loops.before_cell()
        self._shell.outlet.begin()

    def _cell(self, code):
        """The exception that ended the cell, or None."""
        open_gate()  # an interrupt that came while nothing ran does nothing yet
        self._interrupts.arm()
        result = self._shell.run_cell(code, store_history=True)
        return result.error_before_exec or result.error_in_exec

    def _settle(self):
        _restore_builtins()
        self._interrupts.disarm()
        self._shell.outlet.output.recover()

    def _verdict(self, outcome):
        outlet = self._shell.outlet
        exit_code = None
        if isinstance(outcome, SystemExit):
            exit_code = _exit_code(outcome)
            if exit_code != 0:
                outlet.error("SystemExit", message_of(outcome)[0], f"SystemExit: {message_of(outcome)[0]}")
        elif outcome is not None and outlet.errors == 0:
            self._shell.showtraceback((type(outcome), outcome, outcome.__traceback__))
        outlet.tell_notes()
        return {"status": "error" if outlet.errors else "ok", "exit_code": exit_code}


def _restore_builtins():
    names = vars(builtins)
    for name, value in _BUILTINS.items():
        if name not in names:
            names[name] = value


def _exit_code(stop):
    """What a script's exit status would be; sys.exit("text") prints the text."""
    if stop.code is None:
        return 0
    if isinstance(stop.code, int):
        return int(stop.code) & 0xFF
    print(message_of(stop)[0], file=sys.stderr)
    return 1


def _leave_child(outcome):
    """The cell forked, and this is the child at the cell's end: it ends like a script, and runs nothing of the parent's."""
    status = _exit_code(outcome) if isinstance(outcome, SystemExit) else 1 if outcome is not None else 0
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    os._exit(status)
