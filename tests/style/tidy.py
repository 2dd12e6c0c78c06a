#!/usr/bin/env python3
"""clang-tidy over every compiled file of src but the tests, as many at once as there are cores, and only those that changed.

  tidy.py BUILD_DIRECTORY [FILE…]   check all files of its compile_commands.json, or those named
  tidy.py --self-test               prove that it can fail

A file that passed is remembered by a hash of all that its verdict depends on: its text, the project headers it includes
(found by reading), its compile command, the set of checks, the version of clang-tidy and those of the installed libraries. As
with ccache, the memory is the user's ($XDG_CACHE_HOME/cove/tidy), so that a second clone does not begin anew; a machine
without one checks everything. Tests and attack programs are left out: half the time, and what they do on purpose
(leak a descriptor, overrun a limit) is what the checks are against.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tree

TIDY = "clang-tidy-19"
COMPLAINT = re.compile(r"^[^ ]+:\d+:\d+: (error|warning):")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def commands(build):
    """{file: compile command} of the files to check."""
    entries = json.loads((build / "compile_commands.json").read_text())
    found = {pathlib.Path(entry["file"]): entry.get("command", "") for entry in entries}
    return {path: command for path, command in found.items() if is_wanted(path)}


def is_wanted(path):
    return path.is_relative_to(tree.ROOT / "src") and path.is_file() and not path.name.endswith("_test.cc")


def includes_of(path, known):
    """The project headers that a file reaches, itself among them."""
    reached, waiting = set(), [path]
    while waiting:
        file = waiting.pop()
        if file in reached:
            continue
        reached.add(file)
        if file not in known:
            known[file] = [found for name in INCLUDE.findall(file.read_text())
                           for found in (tree.ROOT / "src" / name, tree.ROOT / name, file.parent / name) if found.is_file()]
        waiting += known[file]
    return sorted(reached)


def fingerprint(path, command, checks, known):
    """The same in every clone: no path outside of the project's root counts."""
    total = hashlib.sha256(f"{checks}\n{command.replace(str(tree.ROOT), '')}\n".encode())
    for file in includes_of(path, known):
        total.update(f"{file.relative_to(tree.ROOT)}\n".encode() + file.read_bytes())
    return total.hexdigest()


def circumstances():
    """What every verdict depends on besides the files: the checks, and the libraries that are installed."""
    asked = [[TIDY, "--version"], ["dpkg-query", "--show", "*-dev"]]
    return (tree.ROOT / ".clang-tidy").read_text() + "".join(subprocess.run(ask, capture_output=True, text=True, check=True).stdout for ask in asked)


def memory_of_user():
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    memory = pathlib.Path(cache) / "cove" / "tidy"
    memory.mkdir(parents=True, exist_ok=True)
    return memory


def tidy(build, path):
    done = subprocess.run([TIDY, "--quiet", "--config-file", tree.ROOT / ".clang-tidy", "-p", build, path], capture_output=True, text=True)
    if done.returncode == 0 or not done.stdout.strip():
        return done.returncode, done.stderr
    ours = complaints_of_ours(done.stdout)
    return (1, done.stdout) if ours else (0, "")


def complaints_of_ours(output):
    """Those that are not inside a library: the analyzer follows no coroutine into its frame, and complains of Asio's own lines."""
    return [line for line in output.splitlines() if COMPLAINT.match(line) and not line.startswith("/usr/")]


def check(build, wanted):
    """Prints complaints as they come; returns how many files were bad, checked, and remembered as good."""
    checks, memory = circumstances(), memory_of_user()
    known, prints = {}, {}
    for path, command in commands(build).items():
        if not wanted or path in wanted:
            prints[path] = fingerprint(path, command, checks, known)
    fresh = [path for path in prints if not (memory / prints[path]).exists()]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (status, output) in zip(fresh, pool.map(lambda path: tidy(build, path), fresh)):
            if status == 0:
                (memory / prints[path]).touch()
            else:
                bad += 1
                print(output.strip(), flush=True)
    return bad, len(fresh), len(prints) - len(fresh)


def self_test():
    """A descriptor that a child would inherit is found."""
    with tempfile.TemporaryDirectory() as folder:
        build, source = pathlib.Path(folder), pathlib.Path(folder, "bad.cc")
        source.write_text('#include <fcntl.h>\nint f() { return open("/x", O_RDONLY); }\n')
        command = f"clang++-19 -std=c++23 -c {source}"
        (build / "compile_commands.json").write_text(json.dumps([{"directory": folder, "file": str(source), "command": command}]))
        status, output = tidy(build, source)
    tree.expect("leaked descriptor", [output] if status else [], "android-cloexec-open")
    print("tidy self-test: 1 ok")


def main():
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        return self_test()
    if not arguments:
        sys.exit(__doc__)
    bad, checked, remembered = check(pathlib.Path(arguments[0]).resolve(), {pathlib.Path(a).resolve() for a in arguments[1:]})
    if bad:
        sys.exit(f"tidy: {bad} of {checked} checked files have complaints")
    print(f"tidy: {checked} files checked, {remembered} unchanged since they passed")
    return None


main()
