"""Bars and pies."""

from matplotlib.container import BarContainer

from . import axes


def bars(ax):
    containers = [container for container in ax.containers if isinstance(container, BarContainer)]
    is_lying = bool(containers) and all(container.orientation == "horizontal" for container in containers)
    axis = ax.yaxis if is_lying else ax.xaxis
    names = {axes.rounded(at): text.get_text() for at, text in zip(axis.get_ticklocs(), axis.get_ticklabels())}
    elements = []
    for number, container in enumerate(containers):
        group = container.get_label()
        if group.startswith("_container"):
            group = f"Group {number}"
        for place, bar in enumerate(container):
            elements.append({"label": _label(bar, place, names, is_lying), "group": group, "value": _value(bar, is_lying)})
    labels = axes.labels(ax)
    return {**(axes.exchanged(labels) if is_lying else labels), "elements": elements}


def pie(ax):
    elements = [
        {"label": wedge.get_label(), "angle": axes.rounded(abs(wedge.theta2 - wedge.theta1)), "radius": axes.rounded(wedge.r)}
        for wedge in ax.patches]
    return {"elements": elements}


def _value(bar, is_lying):
    return axes.plain(bar.get_width() if is_lying else bar.get_height())


def _label(bar, place, names, is_lying):
    """The name of the tick below the bar; in a group of bars, that of the nearest; without names, where the bar stands."""
    middle = bar.get_y() + bar.get_height() / 2 if is_lying else bar.get_x() + bar.get_width() / 2
    thickness = bar.get_height() if is_lying else bar.get_width()
    near = min(names, key=lambda at: abs(at - middle), default=None)
    if near is not None and abs(near - middle) <= max(abs(thickness), 0.5) and names[near]:
        return names[near]
    return f"{axes.rounded(middle):g}"
