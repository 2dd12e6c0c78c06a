"""Whole notebooks, each in one context of one sandbox, with every event of every cell asserted.

cells/ has the notebooks as somebody would write them; expected/ says, cell by cell and in order, what each is to tell. Nothing else may be told, and
nothing may be missing. stdout and stderr are two pipes: each keeps its own order, and both keep theirs with respect to every other event, but between
two such events nobody can tell which of the two was written first. So what is printed there is compared as one text each, stdout first.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import npm_registry
from expected import bash, javascript, python, python_without_input, typescript
from expected.events import Cell, display, err, failed, out, result

HERE = os.path.dirname(os.path.abspath(__file__))
MAKE_WHEEL = os.path.join(cove.TESTS, "compat", "make_wheel.py")
MARK = re.compile(r"^(?:#|//) %% (.*)$", re.MULTILINE)
INPUT = b"Ada\nLovelace\n"
OUTPUT_LIMIT = 100 << 10


def joined(events):
    """The events with what was printed between two others put together, for each stream."""
    told, printed = [], {}
    for event in [*events, None]:
        if event is not None and event["type"] in ("stdout", "stderr"):
            printed[event["type"]] = printed.get(event["type"], "") + event["text"]
            continue
        told += [{"type": stream, "text": printed[stream]} for stream in ("stdout", "stderr") if stream in printed]
        printed = {}
        if event is not None:
            told.append(event)
    return told


def by_cell(events):
    """[events of a cell, without its number]."""
    cells = []
    for event in events:
        number = event.pop("cell")
        if event["type"] == "started":
            cells.append([])
        if number != len(cells):
            raise AssertionError(f"an event of cell {number} while cell {len(cells)} ran: {event}")
        cells[-1].append(event)
    return cells


def differences(expected, cells):
    """One text per cell that told something else than it should have."""
    found = []
    for number, (cell, events) in enumerate(zip(expected, cells, strict=True), 1):
        told, wanted = joined(events), cell.told(number)
        if told != wanted:
            where, one, other = first_difference("events", told, wanted)
            found.append(f"cell {number}, {cell.title}: {where}\n  is        {_shown(one)}\n  should be {_shown(other)}")
    return found


def first_difference(where, told, wanted):
    """(where it is, what is there, what should be there), as deep inside as it can be told."""
    if type(told) is type(wanted) is dict and told.keys() == wanted.keys():
        pairs = [(key, told[key], wanted[key]) for key in told]
    elif type(told) is type(wanted) is list and len(told) == len(wanted):
        pairs = [(at, *pair) for at, pair in enumerate(zip(told, wanted))]
    else:
        return where, told, wanted
    return next(first_difference(f"{where}[{key!r}]", one, other) for key, one, other in pairs if one != other)


def _shown(value):
    text = repr(value)
    return text if len(text) < 4000 else f"{text[:2000]} … {text[-2000:]}"


class Notebooks(cove.Test):
    templates = ("base", "python")
    config = "workspace_roots = /var/tmp\n"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.wheelhouse = tempfile.TemporaryDirectory()
        os.chmod(cls.wheelhouse.name, 0o755)
        subprocess.run([sys.executable, MAKE_WHEEL, cls.wheelhouse.name], check=True, capture_output=True)
        with open(os.path.join(cls.wheelhouse.name, "cove-near.tgz"), "wb") as file:
            file.write(npm_registry.package("cove-near"))

    @classmethod
    def tearDownClass(cls):
        cls.wheelhouse.cleanup()
        super().tearDownClass()

    def check(self, notebook, expected, *options, **more):
        path = os.path.join(HERE, "cells", notebook)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(MARK.findall(file.read()), [cell.title for cell in expected], "the cells of the notebook are those of which something is expected")
        done = self.cove.run("--context", "--json", "--keep-going", "--workspace", f"{self.wheelhouse.name}:ro", "--output", str(OUTPUT_LIMIT), *options, path, **more)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(done.stderr, b"")
        cells = by_cell(events[:-1])
        self.assertEqual(len(cells), len(expected))
        found = differences(expected, cells)
        if found:
            self.fail("\n" + "\n".join(found))
        self.check_receipt(done, events[-1], [cell.end for cell in expected])

    def check_receipt(self, done, told, ends):
        """It is that of the first cell that fails, and lists the limits that any cell hit."""
        end = next((end for end in ends if end["cause"] != "ok"), ends[-1])
        self.assertEqual({name: told[name] for name in ("type", "cause", "exit_code", "signal")}, {
            "type": "receipt", "cause": end["cause"], "exit_code": end["exit_code"], "signal": 0})
        self.assertEqual(done.returncode, end["exit_code"])
        receipt = told["receipt"]
        self.assertEqual(receipt["limits_hit"], ["output"] if any(end["dropped_bytes"] for end in ends) else [])
        self.assertEqual((receipt["limits"]["output_bytes"], receipt["network"]), (OUTPUT_LIMIT, {"tier": "restricted", "attempts": []}))
        self.assertEqual({name: receipt[name] for name in ("wall_us", "cpu_us", "peak_memory_bytes")},
                         {name: end[name] for name in ("wall_us", "cpu_us", "peak_memory_bytes")})

    def test_python(self):
        self.assertGreaterEqual(len(python.CELLS), 60)
        self.check("python.py", python.CELLS, "--template", "python", "--memory", "1G", "--input", "-", input=INPUT)

    def test_python_without_input(self):
        self.check("python_without_input.py", python_without_input.CELLS)

    def test_javascript(self):
        self.assertGreaterEqual(len(javascript.CELLS), 30)
        self.check("javascript.js", javascript.CELLS, "--input", "-", input=INPUT)

    def test_typescript(self):
        self.check("typescript.ts", typescript.CELLS)

    def test_bash(self):
        self.assertGreaterEqual(len(bash.CELLS), 20)
        self.check("bash.bash", bash.CELLS, "--input", "-", input=INPUT)


class TheComparison(unittest.TestCase):
    """That it finds whatever is not as expected."""

    EXPECTED = Cell("a cell", out("1\n2\n"), err("e\n"), display("'d'"), out("3\n"), result("4", json=[4]), ends=failed(2))

    def told(self):
        end = {"type": "ended", "cause": "error", "exit_code": 2, "signal": 0, "wall_us": 5, "cpu_us": 4, "peak_memory_bytes": 3, "dropped_bytes": 0}
        value = {"type": "result", "data": {"text/plain": "4", "application/json": [4]}, "metadata": {}, "execution_count": 1}
        return [{"type": "started"}, out("1\n"), err("e\n"), out("2\n"), display("'d'"), out("3\n"), value, end]

    def test_what_is_as_expected(self):
        self.assertEqual(differences([self.EXPECTED], [self.told()]), [])

    def test_an_event_that_is_missing_or_told_twice_or_elsewhere(self):
        for at in range(len(self.told())):
            for change in (lambda events, at: events.pop(at), lambda events, at: events.insert(at, dict(events[at])),
                           lambda events, at: events.insert(at - 1 if at else len(events) - 1, events.pop(at))):
                events = self.told()
                change(events, at)
                if joined(events) != joined(self.told()):  # the two streams have no order between them
                    self.assertTrue(differences([self.EXPECTED], [events]), events)

    def test_a_value_that_is_another(self):
        for at, event in enumerate(self.told()):
            for name in event:
                events = self.told()
                events[at][name] = "other" if isinstance(event[name], str) else -1
                self.assertTrue(differences([self.EXPECTED], [events]), events)

    def test_an_event_of_another_cell(self):
        with self.assertRaises(AssertionError):
            by_cell([{"type": "started", "cell": 1}, {"type": "stdout", "text": "x", "cell": 2}])


if __name__ == "__main__":
    cove.main()
