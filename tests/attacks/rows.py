#!/usr/bin/env python3
"""The table of README.md and the tests name each other: every row has its test or the reason why not, every test its row.

  rows.py ATTACKS_TEST              check, with the list of tests that this program gives
  rows.py --self-test ATTACKS_TEST  prove that each rule can fail
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GROUPS = {"A": 27, "B": 18, "C": 18, "D": 18, "E": 22}
# Of faults of the whole product, those that a sandbox alone can have; the others are the server's.
FAULTS = ["I04", "I25"]
# Asking a supervisor about calls (user notification) is no part of the design, so there is no A26.
ROWS = [f"{group}{number:02}" for group, last in GROUPS.items() for number in range(1, last + 1) if (group, number) != ("A", 26)] + FAULTS
SUITES = {"Syscalls.", "Identity.", "Files.", "SelfCheck.", "Resources.", "Bounds."}
CASE = re.compile(r"^\w+\.\w+$")
SCRIPT = re.compile(r"^(tests/\w+/\w+\.py):(\w+)\.(test_\w+)$")
UNIT = re.compile(r"^((?:src|tests)/\w+/\w+_test\.cc):(\w+)\.(\w+)$")


def cases_of(program):
    """Suite.Name of every attack in the GoogleTest program."""
    listing = subprocess.run([program, "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
    cases, suite = set(), ""
    for line in listing.splitlines():
        if line.startswith("  ") and suite in SUITES:
            cases.add(suite + line.strip())
        elif line.endswith("."):
            suite = line.strip()
    return cases


def rows_of(text):
    """[(id, program, removed, names in the test column)] of the table."""
    rows = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and re.match(r"^([A-Z]\d\d|all)$", cells[0]):
            rows.append((cells[0], cells[1], cells[4], re.findall(r"`([^`]+)`", cells[5])))
    return rows


def left_of(text):
    """{id: reason} of the rows that have no test, on purpose."""
    table = text.partition("## Rows that are left")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| ([A-Z]\d\d) \| (.*?) \|$", table, re.M))


def exists(name, cases):
    """An attack of the GoogleTest program; one test of a script or of a unit test; or a whole file of tests."""
    if script := SCRIPT.match(name):
        path = ROOT / script[1]
        pattern = rf"^class {script[2]}\(.*?^    def {script[3]}\(self"
        return path.is_file() and bool(re.search(pattern, path.read_text(), re.M | re.S))
    if unit := UNIT.match(name):
        path = ROOT / unit[1]
        return path.is_file() and bool(re.search(rf"^TEST(_F)?\({unit[2]}, {unit[3]}\)", path.read_text(), re.M))
    return name in cases or any(path.is_file() for path in (ROOT / name, ROOT / "src/jail" / name))


def weaknesses_of(header):
    return set(re.findall(r"^  (k\w+) =\s", header, re.M))


def check(text, cases, weaknesses):
    rows = rows_of(text)
    ids = [row[0] for row in rows if row[0] != "all"]
    left = left_of(text)
    places = ids + list(left)
    yield from (f"row {row} is missing" for row in ROWS if row not in places)
    yield from (f"row {row} is unknown or doubled" for row in sorted({i for i in places if i not in ROWS or places.count(i) > 1}))
    yield from (f"{row} is left without a reason" for row, reason in left.items() if len(reason.split()) < 5)
    named = {name for row in rows for name in row[3] if CASE.match(name)}
    for row, program, removed, names in rows:
        if not names:
            yield f"{row} names no test"
        for name in names:
            if not exists(name, cases):
                yield f"{row}: there is no test {name}"
        source = re.match(r"`(\w+)[ `]", program)
        if source and not (HERE / "programs" / f"{source[1]}.c").is_file():
            yield f"{row}: there is no programs/{source[1]}.c"
        for bit in re.findall(r"\bk[A-Z]\w+", removed):
            if bit not in weaknesses:
                yield f"{row}: jail::Weakness has no {bit}"
    used = {bit for row in rows for bit in re.findall(r"\bk[A-Z]\w+", row[2])}
    yield from (f"no row needs the weakness {bit}" for bit in sorted(weaknesses - used))
    yield from (f"no row names the test {case}" for case in sorted(cases - named))


def self_test(text, cases, weaknesses):
    """Each edit must be noticed."""
    edits = {
        "a row less": (re.sub(r"^\| A06 .*\n", "", text, flags=re.M), cases, weaknesses),
        "a row less among those left": (re.sub(r"^\| B17 .*\n", "", text, flags=re.M), cases, weaknesses),
        "a row left without a reason": (re.sub(r"^\| B17 .*$", "| B17 | later |", text, flags=re.M), cases, weaknesses),
        "a row that is there and owed": (text + "\n| E01 | `io_uring_calls` | attack | a | b | `Syscalls.NoIoUring` |\n", cases, weaknesses),
        "a wrong name": (text.replace("Syscalls.NoIoUring", "Syscalls.NoIoRing"), cases, weaknesses),
        "a pending row": (text.replace("`Syscalls.NoIoUring`", "pending"), cases, weaknesses),
        "a wrong program": (text.replace("`io_uring_calls`", "`io_ring_calls`"), cases, weaknesses),
        "a test without a row": (text, cases | {"Syscalls.Another"}, weaknesses),
        "a script's test that is not there": (text.replace(".test_a_fork_bomb`", ".test_a_fork_bom`"), cases, weaknesses),
        "a unit test that is not there": (text.replace("Cgroup.SwapIsNoWay", "Cgroup.SwapIsAWay"), cases, weaknesses),
        "a unit test with a fixture that is not there": (text.replace("RaceTest.NoReading", "RaceTest.Reading"), cases, weaknesses),
        "a fault less": (re.sub(r"^\| I25 .*\n", "", text, flags=re.M), cases, weaknesses),
        "a bit without a row": (text, cases, weaknesses | {"kAnother"}),
        "a bit that is gone": (text, cases, weaknesses - {"kRealSys"}),
    }
    yield from (f"{name} goes unnoticed" for name, arguments in edits.items() if not list(check(*arguments)))


def main(arguments):
    rule = self_test if "--self-test" in arguments else check
    text = (HERE / "README.md").read_text()
    weaknesses = weaknesses_of((ROOT / "src/jail/control.h").read_text())
    complaints = list(rule(text, cases_of(arguments[-1]), weaknesses))
    for complaint in complaints:
        print(f"rows.py: {complaint}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
