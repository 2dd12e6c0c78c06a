"""Values that are equal to everything of a kind: what a test expects where it cannot be literal."""

import re


class Like:
    """Equal to every text in which the pattern is found."""

    def __init__(self, pattern):
        self.pattern = pattern

    def __eq__(self, other):
        return isinstance(other, str) and re.search(self.pattern, other, re.S) is not None

    def __repr__(self):
        return f"Like({self.pattern!r})"


class Has:
    """Equal to every dict that has these entries."""

    def __init__(self, **entries):
        self.entries = entries

    def __eq__(self, other):
        return isinstance(other, dict) and all(name in other and value == other[name] for name, value in self.entries.items())

    def __repr__(self):
        return f"Has({self.entries})"


class Positive:
    """Equal to every whole number above zero."""

    def __eq__(self, other):
        return isinstance(other, int) and other > 0


class Magic:
    """Equal to bytes that begin so."""

    def __init__(self, beginning):
        self.beginning = beginning

    def __eq__(self, other):
        return isinstance(other, bytes) and other.startswith(self.beginning)

    def __repr__(self):
        return f"Magic({self.beginning})"
