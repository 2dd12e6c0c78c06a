"""Box plots. matplotlib forgets the numbers they were made from, so they are read from the drawing."""

from matplotlib.patches import PathPatch

from . import axes


def is_boxplot_of_lines(ax):
    """Without patch_artist a box is a closed line of five points."""
    return bool(_closed_lines(ax))


def boxes(ax):
    outlines = [patch.get_path().vertices for patch in ax.patches if isinstance(patch, PathPatch)] or [
        list(zip(line.get_xdata(), line.get_ydata())) for line in _closed_lines(ax)]
    drawn = [_Box(outline) for outline in outlines]
    is_lying = _is_lying(drawn, ax)
    if is_lying:
        drawn = [_Box([(y, x) for x, y in outline]) for outline in outlines]
    axis = ax.yaxis if is_lying else ax.xaxis
    names = {axes.rounded(at): text.get_text() for at, text in zip(axis.get_ticklocs(), axis.get_ticklabels())}
    for line in ax.lines:
        x, y = [[axes.rounded(value) for value in values] for values in (line.get_xdata(), line.get_ydata())]
        _assign(drawn, *((y, x) if is_lying else (x, y)))
    labels = axes.labels(ax)
    return {**(axes.exchanged(labels) if is_lying else labels), "elements": [box.element(names) for box in drawn]}


class _Box:
    def __init__(self, outline):
        across, along = [[axes.rounded(point[at]) for point in outline] for at in (0, 1)]
        self.left, self.right = min(across), max(across)
        self.low, self.high = min(along), max(along)
        self.median, self.minimum, self.maximum = None, self.low, self.high
        self.outliers = []

    def holds(self, x):
        return all(self.left <= at <= self.right for at in x)

    def element(self, names):
        middle = (self.left + self.right) / 2
        near = min(names, key=lambda at: abs(at - middle), default=None)
        return {
            "label": names[near] if near is not None else f"{middle:g}", "min": self.minimum, "first_quartile": self.low,
            "median": self.median, "third_quartile": self.high, "max": self.maximum, "outliers": self.outliers}


def _closed_lines(ax):
    return [line for line in ax.lines if len(line.get_xdata()) == 5
            and line.get_xdata()[0] == line.get_xdata()[-1] and line.get_ydata()[0] == line.get_ydata()[-1]]


def _is_lying(drawn, ax):
    """Whiskers run along the values: for boxes that stand, each begins at the box's middle and goes up or down."""
    for line in ax.lines:
        x, y = line.get_xdata(), line.get_ydata()
        if len(x) == 2 and x[0] != x[1] and y[0] == y[1]:
            reaches_out = all(not (box.left <= min(x) and max(x) <= box.right) for box in drawn)
            if reaches_out:
                return True
    return False


def _assign(drawn, x, y):
    """A line of the drawing: outliers, the median, a whisker or its cap."""
    box = next((box for box in drawn if x and box.holds(x)), None)
    if box is None or len(x) == 5:
        return
    if len(x) != 2:
        box.outliers.extend(y)
    elif y[0] == y[1]:
        if x[0] != x[1] and box.low <= y[0] <= box.high and (x[0], x[1]) in ((box.left, box.right), (box.right, box.left)):
            box.median = y[0]
    elif max(y) <= box.low:
        box.minimum = min(y)
    elif min(y) >= box.high:
        box.maximum = max(y)
