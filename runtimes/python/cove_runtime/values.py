"""Values as data beside their text: lists, dicts and data frames."""

import math
import sys

from IPython.core.formatters import BaseFormatter
from traitlets import ObjectName, Unicode

DATA_FRAME = "application/vnd.cove.dataframe+json"

_MAX_NODES = 10_000  # of a list or dict: looking through a large one must not cost more than the cell
_MAX_CHARACTERS = 1 << 18  # of all texts in it
_MAX_CELLS = 100_000  # of a data frame


class DataFrameFormatter(BaseFormatter):
    format_type = Unicode(DATA_FRAME)
    print_method = ObjectName("_repr_cove_dataframe_")
    _return_type = dict


def register(formatters, note):
    frames = formatters[DATA_FRAME] = DataFrameFormatter()
    for module in ("pandas", "pandas.core.frame"):  # pandas 3 and before
        frames.for_type_by_name(module, "DataFrame", lambda frame: frame_data(frame, note))
    for kind in (list, dict):
        formatters["application/json"].for_type(kind, plain_data)


def plain_data(value):
    """The list or dict itself when it is JSON already, else None."""
    if type(value) not in (list, dict) or not value:
        return None
    return value if _is_plain(value) else None


def _is_plain(value):
    """Without recursion and with an end: the value may be deep, huge or contain itself."""
    waiting, nodes, characters = [value], 0, 0
    while waiting:
        item = waiting.pop()
        nodes += 1
        if nodes > _MAX_NODES or characters > _MAX_CHARACTERS:
            return False
        kind = type(item)
        if kind is str:
            characters += len(item)
        elif kind is dict:
            if len(item) > _MAX_NODES or not all(type(key) is str for key in item):
                return False
            characters += sum(map(len, item))
            waiting.extend(item.values())
        elif kind is list:
            if len(item) > _MAX_NODES:
                return False
            waiting.extend(item)
        elif not (item is None or kind in (bool, int) or (kind is float and math.isfinite(item))):
            return False
    return characters <= _MAX_CHARACTERS


def frame_data(frame, note):
    """A pandas data frame by columns. Columns may share a name, so names and values are lists of the same length."""
    pandas = sys.modules["pandas"]
    rows, columns = frame.shape
    kept = rows if rows * max(columns, 1) <= _MAX_CELLS else _MAX_CELLS // max(columns, 1)
    if kept < rows:
        note(f"{DATA_FRAME}: the first {kept} of {rows} rows")
        frame = frame.iloc[:kept]
    return {
        "columns": [_name(label) for label in frame.columns],
        "dtypes": [str(kind) for kind in frame.dtypes],
        "index": [_cell(value, pandas) for value in frame.index],
        "data": [[_cell(value, pandas) for value in frame.iloc[:, at].tolist()] for at in range(columns)],
        "rows": rows,
    }


def _name(label):
    return label if isinstance(label, str) else str(label)


def _cell(value, pandas):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if value is pandas.NaT or value is pandas.NA:
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "item"):
        return _cell(value.item(), pandas) if getattr(value, "size", 1) == 1 else str(value)
    return str(value)
