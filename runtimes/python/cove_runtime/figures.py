"""matplotlib without a kernel: every open figure is shown once, at plt.show() or at the end of its cell, and closed."""

import os
import sys
import weakref

from traitlets import Bool, CaselessStrEnum, Dict, Set
from traitlets.config import SingletonConfigurable

from . import charts

BACKEND = "module://cove_runtime.inline_backend"
_KINDS = ("png", "retina", "jpeg", "svg")


class InlineBackend(SingletonConfigurable):
    """What notebooks set with %config InlineBackend."""

    figure_formats = Set({"png"}).tag(config=True)
    figure_format = CaselessStrEnum(_KINDS, default_value="png").tag(config=True)
    print_figure_kwargs = Dict({"bbox_inches": "tight"}).tag(config=True)
    close_figures = Bool(True).tag(config=True)

    def wanted(self):
        formats = set(self.figure_formats)
        return formats if formats != {"png"} else {self.figure_format}


class Figures:
    def __init__(self, shell):
        self._shell = shell
        self._shown = weakref.WeakSet()
        self.settings = InlineBackend.instance(parent=shell)
        shell.configurables.append(self.settings)
        formatters = shell.display_formatter.formatters
        for mime, kinds in (("image/png", ("retina", "png")), ("image/jpeg", ("jpeg",)), ("image/svg+xml", ("svg",))):
            formatters[mime].for_type_by_name("matplotlib.figure", "Figure", lambda figure, kinds=kinds: self._render(figure, kinds))
        charts.register(formatters, shell.outlet.note)

    def on_import(self, matplotlib):
        """MPLBACKEND is the user's own choice, and a figure that stays open is shown at the end of the cell all the same."""
        if "MPLBACKEND" not in os.environ:
            matplotlib.use(BACKEND)

    def show(self):
        """plt.show(): what is open, now."""
        self._show_open()

    def show_one(self, figure):
        if figure not in self._shown:
            self._display(figure)

    def end_cell(self):
        self._show_open()
        self._shown.clear()

    def _show_open(self):
        helpers = sys.modules.get("matplotlib._pylab_helpers")
        if helpers is None or not helpers.Gcf.figs:
            return
        try:
            for manager in helpers.Gcf.get_all_fig_managers():
                self.show_one(manager.canvas.figure)
        finally:  # one that cannot be drawn must not come again with each cell
            if self.settings.close_figures:
                helpers.Gcf.destroy_all()

    def _display(self, figure):
        self._shown.add(figure)
        data, metadata = self._shell.display_formatter.format(figure)
        if len(data) > 1:  # an empty figure has a text only
            self._shell.display_pub.publish(data, metadata)

    def _render(self, figure, kinds):
        from IPython.core.pylabtools import print_figure, retina_figure

        kind = next((kind for kind in kinds if kind in self.settings.wanted()), None)
        if kind is None:
            return None
        self._shown.add(figure)
        if figure.canvas is None or not hasattr(figure.canvas, "print_png"):
            from matplotlib.backends.backend_agg import FigureCanvasAgg

            FigureCanvasAgg(figure)
        if kind == "retina":
            return retina_figure(figure, base64=False, **self.settings.print_figure_kwargs)
        return print_figure(figure, kind, base64=False, **self.settings.print_figure_kwargs)
