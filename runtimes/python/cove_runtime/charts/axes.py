"""Labels, units, ticks and scales of axes, and values as JSON has them."""

import math
import re

from matplotlib import dates

_UNIT = re.compile(r"\((.*?)\)|\[(.*?)\]")
MAX_POINTS = 100_000


def labels(ax):
    x, y = ax.get_xlabel() or None, ax.get_ylabel() or None
    return {"x_label": x, "y_label": y, "x_unit": _unit(x), "y_unit": _unit(y)}


def exchanged(labels_of_axes):
    """For charts that lie on their side: x is what the bars stand on."""
    other = {"x": "y", "y": "x"}
    return {other[name[0]] + name[1:]: value for name, value in labels_of_axes.items()}


def ticks(ax):
    result = {}
    for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        texts = [label.get_text() for label in axis.get_ticklabels()]
        positions = axis.get_ticklocs()
        is_date = is_datetime(axis)
        result[f"{name}_ticks"] = [dates.num2date(at).isoformat() for at in positions] if is_date else [plain(at) for at in positions]
        result[f"{name}_tick_labels"] = texts
        result[f"{name}_scale"] = "datetime" if is_date else _scale(axis, positions, texts)
    return result


def is_datetime(axis):
    converter = axis.get_converter() if hasattr(axis, "get_converter") else axis.converter
    return isinstance(converter, (dates._SwitchableDateConverter, dates.DateConverter))


def is_rule(line):
    """A line across the axes (axhline, a grid): no data."""
    x, y = line.get_xdata(), line.get_ydata()
    return len(x) == 2 and len(y) == 2 and (x[0] == x[1] or y[0] == y[1])


def plain(value):
    if isinstance(value, str):
        return value
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if type(value).__name__ == "datetime64":
        return str(value.astype("datetime64[s]"))
    value = float(value)
    return value if math.isfinite(value) else None


def rounded(value):
    """Without the noise of a computation in floating point: 0.1 + 0.2 is 0.3."""
    return float(f"{float(value):.10g}")


def _unit(label):
    found = _UNIT.search(label or "")
    return (found[1] or found[2]) if found else None


def _scale(axis, positions, texts):
    scale = axis.get_scale()
    if scale != "linear" or not texts:
        return scale
    # Categories stand at 0, 1, 2, … under names of their own.
    is_named = all(at == number and text != str(number) for number, (at, text) in enumerate(zip(positions, texts)))
    return "categorical" if is_named else "linear"
