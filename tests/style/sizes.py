#!/usr/bin/env python3
"""Budgets: a file has at most 600 lines (tests and tables 900), a function at most 60.

  sizes.py              check the project
  sizes.py --report     lines per folder of src, median and largest file
  sizes.py --self-test  prove that each rule can fail

Exceptions stand in waivers.txt with a reason; the list may only shrink.
"""

import re
import statistics
import subprocess
import sys

import tree

FILE_LIMIT = 600
LONG_FILE_LIMIT = 900
FUNCTION_LIMIT = 60
CODE = tree.CPP | {".py", ".sh"}
WAIVERS = "tests/style/waivers.txt"

# Files that are one long table, and so may be as long as tests.
TABLES = set()

SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
NAME = re.compile(r"([\w:~]+|operator\W+?)\s*\(")


def file_limit(name):
    is_test = name.startswith("tests/") or name.endswith("_test.cc")
    return LONG_FILE_LIMIT if is_test or name in TABLES else FILE_LIMIT


def functions(text):
    """(name, lines) of every function body outside of functions: a counter of braces, not a parser.

    A statement is what stands between ; { } at the scope of a namespace or class. Its brace opens a scope when it
    names one, a function when it has a parameter list, and an initialiser otherwise.
    """
    code = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", lambda m: re.sub(r"[^\n]", " ", m[0]), tree.code_only(text), flags=re.M)
    start = at = 0
    while at < len(code):
        mark = code[at]
        if mark in ";}":
            start = at + 1
        elif mark == "{":
            statement = code[start:at]
            kind = kind_of(statement)
            if kind == "scope":
                start = at + 1
            else:
                end = matching_brace(code, at)
                if kind == "function":
                    first = start + len(statement) - len(statement.lstrip())
                    yield name_of(statement), code.count("\n", first, end) + 1
                    start = end + 1
                at = end
        at += 1


def kind_of(statement):
    head = re.sub(r"\btemplate\s*<[^{};]*?>\s*(?=\w|\[)", "", statement)
    parameters = head.find("(")
    assigned = re.search(r"(?<![=!<>])=(?!=)", head[:parameters] if parameters >= 0 else head)
    if SCOPE.search(head) and parameters < 0 and not assigned:
        return "scope"
    if parameters < 0 or (assigned and "operator" not in head):
        return "initialiser"
    # In `Foo(int x) : fd_{x} {` the brace after a member's name is not the body yet.
    if re.search(r"\)\s*(noexcept\s*)?:[^:]", head) and re.search(r"[\w>]\s*$", head):
        return "initialiser"
    return "function"


def name_of(statement):
    test = re.search(r"\bTEST(?:_[FP])?\s*\(\s*(\w+)\s*,\s*(\w+)", statement)
    found = NAME.search(statement)
    return f"{test[1]}.{test[2]}" if test else found[1].strip() if found else "?"


def matching_brace(code, at):
    depth = 0
    for end in range(at, len(code)):
        depth += {"{": 1, "}": -1}.get(code[end], 0)
        if depth == 0:
            return end
    return len(code) - 1


def measure(name, text):
    """{what: (lines, limit)} of a file and its functions."""
    sizes = {name: (text.count("\n"), file_limit(name))}
    if name.endswith((".cc", ".h", ".c")):
        for function, lines in functions(text):
            key = f"{name}:{function}"
            sizes[key] = max(sizes.get(key, (0, 0)), (lines, FUNCTION_LIMIT))
    return sizes


def parse_waivers(text):
    rows = [line.split(None, 2) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {row[0]: (int(row[1]), row[2] if len(row) > 2 else "") for row in rows}


def check(sizes, waivers, earlier):
    """`earlier` is the list as last committed, or None when it is not known."""
    for what, (lines, limit) in sizes.items():
        if lines > limit and what not in waivers:
            yield f"{what}: {lines} lines, {limit} are allowed: split it by idea"
    for what, (lines, reason) in waivers.items():
        actual, limit = sizes.get(what, (0, 0))
        if not reason:
            yield f"{WAIVERS}: {what}: a waiver needs a reason"
        if actual <= limit:
            yield f"{WAIVERS}: {what}: fits its budget now, take the line out"
        elif actual != lines:
            yield f"{WAIVERS}: {what}: has {actual} lines, the waiver says {lines}"
        if earlier is not None and lines > earlier.get(what, (0, ""))[0]:
            yield f"{WAIVERS}: {what}: the list may only shrink"


def committed_waivers():
    shown = subprocess.run(["git", "-C", tree.ROOT, "show", f"HEAD:{WAIVERS}"], capture_output=True, text=True)
    return parse_waivers(shown.stdout) if shown.returncode == 0 else None


def report():
    by_folder = {}
    for path in tree.cpp_files(tree.ROOT / "src"):
        folder = by_folder.setdefault(path.parent.name, [])
        folder.append((path.read_text().count("\n"), path.name))
    for folder, rows in sorted(by_folder.items()):
        lines = [count for count, _ in rows]
        largest = "{0[1]} {0[0]}".format(max(rows))
        print(f"{folder:10} {sum(lines):6} lines  {len(rows):3} files  median {statistics.median(lines):5.0f}  largest {largest}")


def self_test():
    body = "  f();\n"
    long_function = "namespace a {\nint g(int x) {\n" + body * 60 + "}\n}\n"
    cases = [
        ("long file", measure("src/a/b.cc", "\n" * 601), "601 lines"),
        ("long test", measure("src/a/b_test.cc", "\n" * 901), "901 lines"),
        ("long function", measure("src/a/b.cc", long_function), "b.cc:g: 62 lines"),
        ("long constructor", measure("src/a/b.h", "class A {\n A(int x) : x_{x} {\n" + body * 60 + "}\n};\n"), "b.h:A: 62"),
        ("long case", measure("src/a/b_test.cc", "TEST(A, Holds) {\n" + body * 60 + "}\n"), "A.Holds: 62"),
        ("test may be longer", measure("src/a/b_test.cc", "\n" * 900), None),
        ("table is no function", measure("src/a/b.cc", "constexpr std::array kRows = {\n" + " Row{f(1)},\n" * 80 + "};\n"), None),
        ("many functions", measure("src/a/b.cc", "namespace {\n" + "int f(int a) {\n" + body * 9 + "}\n" * 1 + "}\n" +
                                   "struct A {\n" + "  void g() const {\n  }\n" * 50 + "};\n"), None),
        ("braces in text", measure("src/a/b.cc", "int f() {\n  return g(\"{\", '{');  // {\n}\n" + "int x;\n" * 90), None),
    ]
    for case, sizes, wanted in cases:
        tree.expect(case, list(check(sizes, {}, {})), wanted)
    size = {"a.cc": (700, 600)}
    tree.expect("waived", list(check(size, {"a.cc": (700, "because")}, None)), None)
    tree.expect("no reason", list(check(size, {"a.cc": (700, "")}, None)), "needs a reason")
    tree.expect("shrunk", list(check(size, {"a.cc": (800, "because")}, None)), "has 700 lines")
    tree.expect("unneeded", list(check({"a.cc": (500, 600)}, {"a.cc": (700, "because")}, None)), "take the line out")
    tree.expect("grown list", list(check(size, {"a.cc": (700, "because")}, {})), "may only shrink")
    print(f"sizes self-test: {len(cases) + 5} ok")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:] == ["--report"]:
        return report()
    paths = [p for p in tree.files() if p.suffix in CODE or tree.relative(p).startswith("script/")]
    sizes = {}
    for path in paths:
        sizes.update(measure(tree.relative(path), path.read_text()))
    waivers = parse_waivers((tree.ROOT / WAIVERS).read_text())
    tree.finish("sizes", list(check(sizes, waivers, committed_waivers())), f"{len(paths)} files, {len(sizes) - len(paths)} functions")


main()
