#!/usr/bin/env python3
"""The table of README.md and the tests name each other: every row has its test, every test its row.

  rows.py ATTACKS_TEST              check, with the list of tests that this program gives
  rows.py --self-test ATTACKS_TEST  prove that each rule can fail
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ROWS = (
    "A01 A02 A04 A05 A06 A07 A08 A09 A10 A11 A12 A13 A14 A15 A16 A19 A20 A24 A25 "
    "B01 B02 B03 B05 B06 B07 B08 B09 B10 B11 B15 B16 "
    "C01 C02 C03 C04 C05 C06 C07 C10 C11 "
    "E06 E07 E08 E09"
).split()
SUITES = {"Syscalls.", "Identity.", "Files."}
CASE = re.compile(r"^\w+\.\w+$")


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
        if len(cells) == 6 and re.match(r"^[A-Z]\d\d$", cells[0]):
            rows.append((cells[0], cells[1], cells[4], re.findall(r"`([^`]+)`", cells[5])))
    return rows


def weaknesses_of(header):
    return set(re.findall(r"^  (k\w+) =\s", header, re.M))


def check(text, cases, weaknesses):
    rows = rows_of(text)
    ids = [row[0] for row in rows]
    yield from (f"row {row} is missing" for row in ROWS if row not in ids)
    yield from (f"row {row} is unknown or doubled" for row in sorted({i for i in ids if i not in ROWS or ids.count(i) > 1}))
    named = {name for row in rows for name in row[3] if CASE.match(name)}
    for row, program, removed, names in rows:
        if not names:
            yield f"{row} names no test"
        for name in names:
            if name not in cases and not any(path.is_file() for path in (ROOT / name, ROOT / "src/jail" / name)):
                yield f"{row}: there is no test {name}"
        source = re.match(r"`(\w+)", program)
        if source and source[1] != "hostile_templates" and not (HERE / "programs" / f"{source[1]}.c").is_file():
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
        "a wrong name": (text.replace("Syscalls.NoIoUring", "Syscalls.NoIoRing"), cases, weaknesses),
        "a pending row": (text.replace("`Syscalls.NoIoUring`", "pending"), cases, weaknesses),
        "a wrong program": (text.replace("`io_uring_calls`", "`io_ring_calls`"), cases, weaknesses),
        "a test without a row": (text, cases | {"Syscalls.Another"}, weaknesses),
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
