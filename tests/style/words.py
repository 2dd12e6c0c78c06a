#!/usr/bin/env python3
"""Words that no project file may hold: package hosts, papers outside the repository, switched-off tests, notes to do later.

  words.py              check the project
  words.py --self-test  prove that each rule can fail
"""

import re
import sys

import tree

# Written in pieces, so that this file passes its own check.
PACKAGE_HOSTS = [
    ("deb", "debian", "org"), ("security", "debian", "org"), ("archive", "ubuntu", "com"),
    ("pypi", "org"), ("files", "pythonhosted", "org"), ("registry", "npmjs", "org"), ("registry", "yarnpkg", "com"),
    ("crates", "io"), ("proxy", "golang", "org"), ("rubygems", "org"), ("docker", "io"), ("ghcr", "io"), ("quay", "io"),
    ("gcr", "io"), ("deb", "nodesource", "com"), ("apt", "llvm", "org"), ("repo1", "maven", "org"),
]
OUTSIDE_PAPERS = ["../" + "shared", "design" + ".md", "security" + ".md", "style" + ".md", "product" + ".md", "peers" + ".md"]
SWITCHED_OFF = ["GTEST" + "_SKIP", "DISABLED" + "_", "TO" + "DO", "FIX" + "ME", "NO" + "COMMIT"]


def any_of(words):
    return "|".join(re.escape(word) for word in words)


# Case counts: the SECURITY file of the repository is ours.
RULES = [
    (re.compile(rf"(?<![\w-])({any_of('.'.join(parts) for parts in PACKAGE_HOSTS)})(?![\w-])"),
     "the machine's own configuration names the package hosts"),
    (re.compile(rf"(?<![\w-])({any_of(OUTSIDE_PAPERS)})"), "is not part of the repository"),
    (re.compile(rf"\b({any_of(SWITCHED_OFF)})"), "no test is switched off and no work is left as a note"),
]


def check(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, why in RULES:
            found = pattern.search(line)
            if found:
                yield f"{name}:{number}: '{found[1]}': {why}"


def self_test():
    bad = [("host", "get http://" + ".".join(PACKAGE_HOSTS[0]) + "/x"), ("host at end", "FROM " + ".".join(PACKAGE_HOSTS[10])),
           ("paper", f"see {OUTSIDE_PAPERS[2]} 3.2"), ("folder", f"cp {OUTSIDE_PAPERS[0]}/x ."), ("skipped", SWITCHED_OFF[0] + "();"),
           ("note", "// " + SWITCHED_OFF[2] + ": later")]
    for case, text in bad:
        tree.expect(case, list(check("x", text)), "x:1")
    tree.expect("good", list(check("x", "SECURITY.md, docs.debian.org.example, cargo crates, STYLE.md")), None)
    print(f"words self-test: {len(bad) + 1} ok")


def text_of(path):
    data = path.read_bytes()
    return "" if b"\0" in data else data.decode("utf-8", "replace")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    paths = list(tree.files())
    tree.finish("words", [c for path in paths for c in check(tree.relative(path), text_of(path))], f"{len(paths)} files")


main()
