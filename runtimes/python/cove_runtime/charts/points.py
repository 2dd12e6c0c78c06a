"""Lines and clouds of points."""

from matplotlib import dates

from . import axes


def lines(ax):
    elements = []
    for number, line in enumerate(ax.get_lines()):
        if axes.is_rule(line) and len(ax.get_lines()) > 1:
            continue
        label = line.get_label()
        if label.startswith("_child"):
            label = f"Line {number}"
        elements.append({"label": label, "points": _points(zip(line.get_xdata(orig=True), line.get_ydata(orig=True)))})
    return {**axes.labels(ax), **axes.ticks(ax), "elements": elements}


def scatter(ax):
    elements = []
    for number, cloud in enumerate(ax.collections):
        label = cloud.get_label()
        if label.startswith("_child"):
            label = f"Points {number}"
        elements.append({"label": label, "points": _points(_in_units(ax, cloud.get_offsets()))})
    return {**axes.labels(ax), **axes.ticks(ax), "elements": elements}


def _in_units(ax, offsets):
    """matplotlib keeps the points of a scatter as numbers only; dates are given back."""
    x_dates, y_dates = axes.is_datetime(ax.xaxis), axes.is_datetime(ax.yaxis)
    for x, y in offsets:
        yield dates.num2date(x) if x_dates else x, dates.num2date(y) if y_dates else y


def _points(pairs):
    result = []
    for x, y in pairs:
        if len(result) == axes.MAX_POINTS:
            raise ValueError(f"more than {axes.MAX_POINTS} points")
        result.append([axes.plain(x), axes.plain(y)])
    return result
