"""Which type of chart each of a figure's axes is, and what it shows."""

from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle, Wedge
from matplotlib.text import Text

from . import axes, bars, boxes, points


def chart_of_figure(figure):
    """The chart, or None for a figure without data."""
    drawn = [ax for ax in figure.get_axes() if ax.has_data()]
    if not drawn:
        return None
    if len(drawn) == 1:
        return chart_of_axes(drawn[0])
    return {"type": "superchart", "title": figure.get_suptitle() or None, "elements": [chart_of_axes(ax) for ax in drawn]}


def chart_of_axes(ax):
    kind = kind_of(ax)
    chart = {"type": kind, "title": ax.get_title() or None}
    makers = {"line": points.lines, "scatter": points.scatter, "bar": bars.bars, "pie": bars.pie, "box_and_whisker": boxes.boxes}
    maker = makers.get(kind)
    return {**chart, **(maker(ax) if maker else {"elements": []})}


def kind_of(ax):
    artists = [artist for artist in ax.get_children() if artist in ax.lines or artist in ax.patches or artist in ax.collections or artist in ax.images]
    artists = [artist for artist in artists if not isinstance(artist, Text)]

    def consists_of(*kinds):
        return all(isinstance(artist, kinds) for artist in artists)

    if consists_of(Line2D):
        return "box_and_whisker" if boxes.is_boxplot_of_lines(ax) else "line"
    if consists_of(PathPatch, Line2D):
        return "box_and_whisker"
    artists = [artist for artist in artists if not (isinstance(artist, Line2D) and axes.is_rule(artist))]
    for kind, artist in (("scatter", PathCollection), ("pie", Wedge), ("bar", Rectangle)):
        if consists_of(artist):
            return kind
    return "unknown"
