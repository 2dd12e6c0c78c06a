"""Makes a shell that is ready to run cells but belongs to nobody yet: a zygote may be forked from it."""

import warnings

from IPython.core import interactiveshell
from traitlets.config import Config

from . import packages, texts, values
from .execution import Execution
from .figures import Figures
from .guard import open_gate
from .import_hooks import ImportHooks
from .installs import Installs
from .interrupts import Interrupts
from .loops import Loops
from .outlet import Outlet
from .output import Output
from .shell import Shell

_CONFIG = {
    "InteractiveShell": {"colors": "nocolor", "banner1": "", "autocall": 0, "ast_node_interactivity": "last_expr"},
    "HistoryManager": {"enabled": False, "hist_file": ":memory:"},
    "IPCompleter": {"use_jedi": False},
}


def prepare():
    """No thread is running and no descriptor is open afterwards that was not before."""
    texts.bound_reprs()
    interactiveshell.warn = _warn
    outlet = Outlet(Output())
    shell = Shell.instance(outlet=outlet, loops=Loops(), installs=Installs(), config=Config(_CONFIG))
    formatters = shell.display_formatter.formatters
    formatters["text/plain"] = texts.BoundedText(outlet.note, parent=shell.display_formatter)
    values.register(formatters, outlet.note)
    shell.figures = Figures(shell)
    shell.events.register("post_execute", shell.figures.end_cell)
    hooks = ImportHooks()
    hooks.on_import("matplotlib", shell.figures.on_import)
    hooks.on_import("plotly.io", packages.plotly_renderer)
    hooks.on_import("altair", packages.altair_renderer)
    hooks.on_import("PIL.ImageShow", packages.pillow_viewer)
    hooks.install()
    return shell


def prime(shell, cells):
    """Runs typical cells as a context does, telling nobody, so that the first one of a context finds everything warm. Their names are gone afterwards."""
    nobody = shell.outlet.channel = _Nobody()
    execution = Execution(shell, Interrupts())
    for code in cells:
        if execution.run(code, None)["status"] != "ok":
            raise RuntimeError(f"a cell meant to warm up the interpreter failed: {code!r}: {nobody.heard!r}")
    open_gate()
    shell.loops.end()
    shell.outlet.channel = None
    shell.reset(new_session=False)
    shell.execution_count = 1


class _Nobody:
    """In place of the socket to pid 1, before there is one."""

    execution = 0
    heard = None

    def is_mine(self):
        return True

    def send(self, messages):
        self.heard = messages


def _warn(message, *arguments, **options):
    """IPython advises how to leave a terminal when a cell exits. There is none."""
    if not str(message).startswith("To exit:"):
        warnings.warn(message, *arguments, **options)
