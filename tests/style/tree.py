"""What the style checks share: the project's files, C++ text without comments and strings, and how a check reports."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = {".git", ".cache", "__pycache__", "node_modules"}
CPP = {".cc", ".h", ".c"}


def files(top=ROOT):
    """Every file of the project that is source: no build output, nothing of git's."""
    for folder, names, leaves in os.walk(top):
        at_root = pathlib.Path(folder) == top
        names[:] = sorted(n for n in names if n not in SKIPPED and not (at_root and is_build_output(n)))
        for leaf in sorted(leaves):
            path = pathlib.Path(folder, leaf)
            if path.suffix != ".pyc" and not path.is_symlink():
                yield path


def is_build_output(name):
    return name == "build" or name.startswith("build-")


def cpp_files(top=ROOT):
    return [path for path in files(top) if path.suffix in CPP]


def relative(path):
    return path.relative_to(ROOT).as_posix()


def code_only(text):
    """The text with comments and the insides of literals blanked out; line and column of the rest do not change."""
    out = []
    at = 0
    while at < len(text):
        end, keep = next_piece(text, at)
        piece = text[at:end]
        out.append(piece if keep else "".join(c if c == "\n" else " " for c in piece))
        at = end
    return "".join(out)


def next_piece(text, at):
    """(end, is it code) of the comment, literal or run of code that starts at `at`."""
    if text.startswith("//", at):
        return find_end(text, "\n", at, 0), False
    if text.startswith("/*", at):
        return find_end(text, "*/", at + 2, 2), False
    if text.startswith('R"', at) and not is_word(text, at - 1):
        delimiter = text[at + 2 : text.index("(", at)]
        return find_end(text, ")" + delimiter + '"', at, len(delimiter) + 2), False
    if text[at] == '"' or (text[at] == "'" and not is_word(text, at - 1)):  # 1'000 is a number, not a literal
        return end_of_literal(text, at), False
    return at + 1, True


def is_word(text, at):
    return at >= 0 and (text[at].isalnum() or text[at] == "_")


def find_end(text, mark, at, length):
    found = text.find(mark, at)
    return len(text) if found < 0 else found + length


def end_of_literal(text, at):
    end = at + 1
    while end < len(text) and text[end] not in (text[at], "\n"):
        end += 2 if text[end] == "\\" else 1
    return end + 1


def finish(check, complaints, checked):
    """Prints the complaints or one line of success, and exits accordingly."""
    for complaint in complaints:
        print(complaint)
    if complaints:
        sys.exit(f"{check}: {len(complaints)} complaint(s)")
    print(f"{check}: {checked} ok")
    sys.exit(0)


def expect(name, complaints, wanted):
    """Self-test: a bad example must give a complaint that contains `wanted`; a good one (None) must give none."""
    if wanted is None and complaints:
        sys.exit(f"self-test {name}: complained about a good example: {complaints}")
    if wanted is not None and not any(wanted in complaint for complaint in complaints):
        sys.exit(f"self-test {name}: no complaint with '{wanted}', only {complaints}")
