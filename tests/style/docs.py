#!/usr/bin/env python3
"""Documents do not rot: what they name exists, the change log has its format, every promise names its proof.

  docs.py              check the project
  docs.py --self-test  prove that each rule can fail
"""

import pathlib
import re
import sys

import tree

# A word that starts with one of these is a path of the repository, wherever it stands in code style.
FOLDERS = ("src/", "tests/", "script/", "templates/", "examples/", "docs/", "bench/", "cmake/", "runtimes/", ".ci/")
BARE_FILE = re.compile(r"^[\w.-]+\.(md|cc|h|c|py|sh|txt|json|recipe|cmake)$")
PLACEHOLDER = re.compile(r"[<>$…|]|\bfoo|\bNAME\b|\bFILE\b|\bDIR\b")
CODE_SPAN = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
TEST_CASE = re.compile(r"\bTEST(?:_[FP])?\(\s*(\w+)\s*,\s*(\w+)\s*\)")

SECTIONS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
RELEASE = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$")


class Repository:
    """What documents may name: paths of the project and the names of its tests."""

    def __init__(self, paths, cases):
        self.paths = set(paths)
        self.folders = {str(parent) for path in paths for parent in pathlib.PurePosixPath(path).parents}
        self.names = {path.rsplit("/", 1)[-1] for path in paths}
        self.cases = set(cases)

    def has(self, path):
        path = path.rstrip("/")
        if "*" in path:
            return any(pathlib.PurePosixPath(known).match(path) for known in self.paths)
        return path in self.paths or path in self.folders or path == ""

    def proves(self, reference):
        """A test case (Suite.Name), a test file or folder, a benchmark, or file:case."""
        path, _, case = reference.partition(":")
        if case:
            return self.has(path) and self.proves(case)
        return reference in self.cases or (
            self.has(reference) and (reference.startswith(("tests/", "bench/")) or "_test." in reference))


def load_repository():
    paths = list(tree.files())
    cases = set()
    for path in paths:
        if path.suffix == ".cc":
            cases.update(".".join(found) for found in TEST_CASE.findall(path.read_text()))
        elif path.suffix == ".py" and "tests" in path.parts:
            cases.update(re.findall(r"^\s*def (test_\w+)", path.read_text(), re.M))
    return Repository([tree.relative(path) for path in paths], cases)


def words_in_code(text):
    """(line, word) of everything in code style: spans between backticks, fenced and indented blocks."""
    for found in FENCE.finditer(text):
        yield from words(text, found.start(), found[0])
    text = FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    for found in CODE_SPAN.finditer(text):
        yield from words(text, found.start(), found[1])
    for found in re.finditer(r"^ {4}.*$", text, re.M):
        yield from words(text, found.start(), found[0])


def words(text, start, code):
    for found in re.finditer(r"[^\s'\"()\[\],;=]+", code):
        line = text.count("\n", 0, start) + code.count("\n", 0, found.start()) + 1
        yield line, found[0].removeprefix("./").rstrip(".:")


def check_paths(name, text, repository):
    for line, word in words_in_code(text):
        path = re.sub(r":.*$", "", word)
        if PLACEHOLDER.search(path) or "{" in path:
            continue
        if path.startswith(FOLDERS) and not repository.has(path):
            yield f"{name}:{line}: there is no {path}"
        elif BARE_FILE.match(path) and path not in repository.names:
            yield f"{name}:{line}: there is no file called {path}"


def check_links(name, text, repository):
    text = FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    for found in LINK.finditer(text):
        target, _, anchor = found[1].partition("#")
        line = text.count("\n", 0, found.start()) + 1
        if re.match(r"\w+:", found[1]):
            continue
        path = normal(pathlib.PurePosixPath(name).parent / target) if target else name
        if target and not repository.has(path):
            yield f"{name}:{line}: link to {path}, which does not exist"
        elif anchor and path.endswith(".md") and anchor not in anchors(text if path == name else read(path)):
            yield f"{name}:{line}: {path} has no heading #{anchor}"


def normal(path):
    parts = []
    for part in path.parts:
        parts = parts[:-1] if part == ".." and parts else parts if part == "." else [*parts, part]
    return "/".join(parts)


def read(name):
    return (tree.ROOT / name).read_text()


def anchors(text):
    headings = re.findall(r"^#+ +(.+?)\s*$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_changelog(text):
    """Keep a Changelog: Unreleased first, then releases from new to old, known sections, no empty one."""
    heads = [line for line in text.splitlines() if line.startswith("## ")]
    if not text.startswith("# Changelog\n"):
        yield "CHANGELOG.md: starts with '# Changelog'"
    if heads[:1] != ["## [Unreleased]"]:
        yield "CHANGELOG.md: the first section is '## [Unreleased]'"
    releases = [RELEASE.match(head) for head in heads[1:]]
    yield from (f"CHANGELOG.md: '{head}' is not '## [1.2.3] - 2001-02-03'" for head, ok in zip(heads[1:], releases) if not ok)
    versions = [tuple(int(n) for n in found[1].split(".")) for found in releases if found]
    if versions != sorted(versions, reverse=True) or len(set(versions)) != len(versions):
        yield "CHANGELOG.md: releases go from new to old, each once"
    yield from check_changelog_lines(text)


def check_changelog_lines(text):
    section, in_bullet = None, False
    for number, line in enumerate([*text.splitlines(), "## end"], 1):
        if line.startswith("#") and section == "empty":
            yield f"CHANGELOG.md:{number}: the section above has no entry"
        if line.startswith("### "):
            section, in_bullet = "empty", False
            if line[4:] not in SECTIONS:
                yield f"CHANGELOG.md:{number}: '{line[4:]}' is not one of {', '.join(sorted(SECTIONS))}"
        elif line.startswith("## "):
            section, in_bullet = "release", False
        elif line.startswith("- "):
            if section == "release":
                yield f"CHANGELOG.md:{number}: an entry stands under a '### ' section"
            section, in_bullet = "filled", True
        elif line.strip() and section in ("empty", "filled") and not (in_bullet and line.startswith("  ")):
            yield f"CHANGELOG.md:{number}: only '- ' entries stand in a section"


def check_specification(text, repository):
    """Every row of a table ends with the tests or benchmarks that prove it, in backticks."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("|"):
            rows.append((number, line))
        if not line.startswith("|") and rows:
            yield from check_table(rows, repository)
            rows = []
    yield from check_table(rows, repository)


def check_table(rows, repository):
    for number, line in rows[2:]:  # after the head and its rule
        proof = line.strip().strip("|").split("|")[-1]
        references = CODE_SPAN.findall(proof)
        if not references:
            yield f"SPECIFICATION.md:{number}: the row names no test or benchmark"
        for reference in references:
            if not repository.proves(reference):
                yield f"SPECIFICATION.md:{number}: there is no test or benchmark '{reference}'"


def check_document(name, text, repository):
    complaints = [*check_paths(name, text, repository), *check_links(name, text, repository)]
    if name == "CHANGELOG.md":
        complaints += check_changelog(text)
    if name == "SPECIFICATION.md":
        complaints += check_specification(text, repository)
    return complaints


def self_test():
    known = Repository(["script/test", "src/jail/plan.cc", "src/jail/plan_test.cc", "tests/attacks/README.md", "bench/start.py",
                        "README.md"], ["Plan.IsPure"])
    log = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing\n  and more.\n"
    cases = [
        ("missing path", "a.md", "see `src/jail/plan.h`", "no src/jail/plan.h"),
        ("missing script", "a.md", "run `script/tset --full`", "no script/tset"),
        ("missing in block", "a.md", "```\nscript/tset\n```\n", "a.md:2: there is no script/tset"),
        ("missing glob", "a.md", "`src/jail/*_fuzz.cc`", "there is no"),
        ("missing bare file", "a.md", "`NOTES.md`", "no file called NOTES.md"),
        ("dead link", "a.md", "[x](docs/x.md)", "does not exist"),
        ("dead anchor", "a.md", "# One\n[x](#two)", "no heading #two"),
        ("good", "docs/a.md", "# One two\n`script/test --full` `src/jail/` `src/jail/*.cc` `plan.cc:12` `src/<folder>/x.cc` "
         "`pip/npm` [x](../README.md) [y](#one-two) [z](https://example.com/) `build/bin/cove`", None),
        ("log: head", "CHANGELOG.md", "# Changes\n\n## [Unreleased]\n", "starts with"),
        ("log: no unreleased", "CHANGELOG.md", "# Changelog\n\n## [1.0.0] - 2026-01-02\n", "first section"),
        ("log: bad date", "CHANGELOG.md", log + "\n## [1.0.0] - May\n", "is not"),
        ("log: order", "CHANGELOG.md", log + "\n## [1.0.0] - 2026-01-02\n\n## [1.1.0] - 2026-01-03\n", "new to old"),
        ("log: section", "CHANGELOG.md", log + "\n### News\n\n- x\n", "is not one of"),
        ("log: empty section", "CHANGELOG.md", log + "\n### Fixed\n", "no entry"),
        ("log: prose", "CHANGELOG.md", log + "\nSome prose.\n", "only '- '"),
        ("log: good", "CHANGELOG.md", log + "\n## [0.1.0] - 2026-01-02\n\n### Fixed\n\n- x\n", None),
        ("spec: no proof", "SPECIFICATION.md", "| a | b |\n|---|---|\n| fast | yes |\n", "names no test"),
        ("spec: false proof", "SPECIFICATION.md", "| a | b |\n|---|---|\n| fast | `Plan.IsFast` |\n", "no test or benchmark"),
        ("spec: no test", "SPECIFICATION.md", "| a | b |\n|---|---|\n| fast | `src/jail/plan.cc` |\n", "no test or benchmark"),
        ("spec: good", "SPECIFICATION.md", "| a | b |\n|---|---|\n| x | `Plan.IsPure` |\n| y | `bench/start.py` |\n"
         "| z | `src/jail/plan_test.cc:Plan.IsPure`, `tests/attacks/` |\n", None),
    ]
    for case, name, text, wanted in cases:
        tree.expect(case, check_document(name, text, known), wanted)
    print(f"docs self-test: {len(cases)} ok")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    repository = load_repository()
    documents = [path for path in tree.files() if path.suffix == ".md"]
    complaints = [c for path in documents for c in check_document(tree.relative(path), path.read_text(), repository)]
    tree.finish("docs", complaints, f"{len(documents)} documents")


main()
