"""Words for what `cove run --context --json` says of a cell, event by event."""

import base64
import binascii
import html.parser
import struct

from matchers import Has, Like, Positive


class Cell:
    """What the cell with this title says between `started` and `ended`, and how it ends."""

    def __init__(self, title, *events, ends=None):
        self.title = title
        self.events = list(events)
        self.end = ends or ended()

    def told(self, number):
        """All its events, when it is the cell with this number."""
        counted = [dict(event, execution_count=number) if event["type"] == "result" else event for event in self.events]
        return [{"type": "started"}, *counted, self.end]


def ended(cause="ok", exit_code=0, dropped=0):
    return {"type": "ended", "cause": cause, "exit_code": exit_code, "signal": 0, "wall_us": Positive(), "cpu_us": NotNegative(),
            "peak_memory_bytes": Positive(), "dropped_bytes": dropped}


def failed(exit_code=1):
    return ended("error", exit_code)


def out(text):
    return {"type": "stdout", "text": text}


def err(text):
    return {"type": "stderr", "text": text}


def result(text=None, more=None, metadata=None, json=None):
    """The value of a cell. Its execution_count is the cell's number."""
    return {"type": "result", "data": _data(text, more, json), "metadata": metadata or {}}


def display(text=None, more=None, metadata=None, display_id=None, json=None, kind="display"):
    return {"type": kind, "data": _data(text, more, json), "metadata": metadata or {}, "display_id": display_id}


def update_display(display_id, text, more=None):
    return display(text, more, display_id=display_id, kind="update_display")


def clear_output(wait):
    return {"type": "clear_output", "wait": wait}


def notice(text):
    return {"type": "notice", "text": text}


def error(name, value, *lines):
    """Its traceback shows these lines in this order, or is the one text given as Exactly."""
    traceback = lines[0].text if lines and isinstance(lines[0], Exactly) else Shows(*lines)
    return {"type": "error", "name": name, "value": value, "traceback": traceback}


def _data(text, more, json):
    data = {} if text is None else {"text/plain": text}
    if json is not None:
        data["application/json"] = json
    return {**data, **(more or {})}


class NotNegative:
    """Equal to every whole number from zero on: a short cell may have taken no time that was counted."""

    def __eq__(self, other):
        return isinstance(other, int) and other >= 0

    def __repr__(self):
        return "NotNegative()"


class Exactly:
    def __init__(self, text):
        self.text = text


class Shows:
    """Equal to a text without colours in which these parts stand one after another."""

    def __init__(self, *parts):
        self.parts = parts

    def __eq__(self, other):
        if not isinstance(other, str) or "\x1b" in other:
            return False
        at = 0
        for part in self.parts:
            found = other.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return True

    def __repr__(self):
        return f"Shows{self.parts}"


class Png:
    """Equal to a PNG in base64, of this size or of any that is not empty."""

    def __init__(self, width=None, height=None):
        self.size = (width, height)

    def __eq__(self, other):
        try:
            data = base64.b64decode(other, validate=True)
        except (TypeError, ValueError, binascii.Error):
            return False
        if not data.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR") or not data.endswith(b"IEND\xaeB`\x82"):
            return False
        return all(have > 0 and want in (None, have) for want, have in zip(self.size, struct.unpack(">II", data[16:24])))

    def __repr__(self):
        return f"Png{self.size}"


class Table:
    """Equal to HTML whose table has these rows; a cell's text stands for it."""

    def __init__(self, *rows):
        self.rows = [list(row) for row in rows]

    def __eq__(self, other):
        return isinstance(other, str) and _rows(other) == self.rows

    def __repr__(self):
        return f"Table({self.rows})"


def _rows(text):
    reader = _TableReader()
    reader.feed(text)
    return reader.rows


class _TableReader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.rows = []
        self.is_in_cell = False

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.is_in_cell = True

    def handle_endtag(self, tag):
        self.is_in_cell = self.is_in_cell and tag not in ("td", "th")

    def handle_data(self, data):
        if self.is_in_cell:
            self.rows[-1][-1] += data


class Length:
    """Equal to a text or list that has so many elements and begins and ends like that."""

    def __init__(self, count, first, last):
        self.count, self.first, self.last = count, first, last

    def __eq__(self, other):
        return isinstance(other, (str, list)) and len(other) == self.count and (other[0], other[-1]) == (self.first, self.last)

    def __repr__(self):
        return f"Length({self.count}, {self.first!r}, {self.last!r})"


class Ascending:
    """Equal to several numbers, or times, each larger than the one before."""

    def __eq__(self, other):
        return isinstance(other, list) and len(other) > 1 and all(a < b for a, b in zip(other, other[1:]))

    def __repr__(self):
        return "Ascending()"


class Texts:
    """Equal to a list of several texts."""

    def __eq__(self, other):
        return isinstance(other, list) and len(other) > 1 and all(isinstance(text, str) for text in other)

    def __repr__(self):
        return "Texts()"


__all__ = ["Ascending", "Cell", "Exactly", "Has", "Length", "Like", "Png", "Positive", "Shows", "Table", "Texts", "clear_output", "display", "ended", "err",
           "error", "failed", "notice", "out", "result", "update_display"]
