"""matplotlib figures as data: what is drawn, without the drawing.

A chart is {type, title, elements}. Which type it is follows from the artists in its axes; several axes make a superchart. Nothing here
imports matplotlib before user code has.
"""

from IPython.core.formatters import BaseFormatter
from traitlets import ObjectName, Unicode

CHART = "application/vnd.cove.chart+json"


class ChartFormatter(BaseFormatter):
    format_type = Unicode(CHART)
    print_method = ObjectName("_repr_cove_chart_")
    _return_type = dict


def register(formatters, note):
    formatter = formatters[CHART] = ChartFormatter()
    formatter.for_type_by_name("matplotlib.figure", "Figure", lambda figure: _chart_or_note(figure, note))


def _chart_or_note(figure, note):
    from .figure import chart_of_figure

    try:
        return chart_of_figure(figure)
    except Exception as problem:  # a picture without data is still a picture
        note(f"{CHART}: left out, {type(problem).__name__}: {problem}")
        return None
