#!/usr/bin/env python3
"""Arrows between the folders of src point one way: proven from #include lines, calls, and CMake's links.

  layers.py              check the project
  layers.py --self-test  prove that each rule can fail
"""

import re
import sys

import tree

# What a folder may include, besides itself. A new folder needs a row.
MAY_USE = {
    "base": set(),
    "sys": {"base"},
    "wire": {"base"},
    "jail": {"sys", "wire", "base"},
    "spawner": {"jail", "sys", "wire", "base"},
    "files": {"wire", "sys", "base"},
    "init": {"files", "wire", "sys", "base"},
    "zygote": {"wire"},
    "template": {"sys", "base"},
    "engine": {"wire", "sys", "base"},
    "io": {"base"},
    "http": {"io", "sys", "base"},
    "fleet": {"engine", "io", "wire", "sys", "base"},
    "doctor": {"sys", "base"},
    "store": {"sys", "base"},
    "auth": {"store", "sys", "base"},
    "catalogue": {"template", "sys", "base"},
    "supervisor": {"engine", "wire", "sys", "base"},
    "api": {"http", "fleet", "store", "auth", "catalogue", "engine", "io", "wire", "sys", "base"},
    "server": {"api", "supervisor", "http", "fleet", "store", "auth", "catalogue", "engine", "io", "wire", "sys", "base"},
    "cli": {"supervisor", "catalogue", "engine", "template", "doctor", "auth", "store", "wire", "sys", "base"},
}

# Root processes and pid 1 of a sandbox stay small: no event loop, JSON, SQL or option parser in them or below them.
SMALL = {"base", "sys", "wire", "jail", "spawner", "init", "zygote"}
HEAVY = re.compile(r"^(boost/|asio|nlohmann/|json|sqlite3|CLI/|archive)")

# Process creation and raw system calls live in src/sys; a file elsewhere needs a reason.
RAW_CALL = re.compile(r"(?<![\w.>])(?:(?<!\w::)|(?<=[^\w]::))(syscall|v?fork|clone3?)\s*\(")
RAW_CALL_FILES = {
    "src/doctor/child.cc": "attempts run in children made by fork: a host that refuses clone3 is to be reported",
    "src/doctor/process_checks.cc": "asks the kernel for calls that a host may lack, by number",
    "src/doctor/examine_test.cc": "takes a call away from itself with a filter of its own, to see it reported",
    "src/template/build_test.cc": "kills a builder in the middle: it has to be a process of its own",
    "src/zygote/enter.cc": "a library that a template's interpreter loads: it may need nothing but the C library",
    "src/jail/seccomp_kernel_test.cc": "a filter is tried by making, in a child, the calls that it judges",
}

# Errors are values (base::Result). A library that throws is caught where it is called, in a file listed with a reason.
EXCEPTION = re.compile(r"(?<!\w)(try\s*\{|catch\s*\(|throw\b)")
EXCEPTION_FILES = {
    "src/io/task_group.cc": "a cancelled wait of Asio throws, and is caught where its task ends",
    "src/cli/main.cc": "CLI11 tells of a wrong command line, of --help and of --version by throwing",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def check_includes(name, folder, text):
    is_test = name.endswith("_test.cc")
    for found in INCLUDE.finditer(text):
        where = f"{name}:{line_of(text, found.start())}"
        quoted, target = found[1] == '"', found[2]
        if not quoted and folder in SMALL and HEAVY.match(target):
            yield f"{where}: src/{folder} must not include <{target}>: it stays small"
        if not quoted and folder != "cli" and target.startswith("CLI/"):
            yield f"{where}: options are parsed in src/cli only, not <{target}>"
        if not quoted or (is_test and target.startswith("tests/")):
            continue
        other = target.split("/")[0]
        if "/" not in target or other not in MAY_USE:
            yield f'{where}: "{target}" must be written as "folder/file.h" of a folder of src'
        elif other != folder and other not in MAY_USE[folder]:
            yield f"{where}: src/{folder} must not include src/{other} (it may: {allowed(folder)})"


def allowed(folder):
    return ", ".join(sorted(MAY_USE[folder])) or "nothing"


def check_calls(name, folder, code):
    if folder != "sys" and name not in RAW_CALL_FILES:
        for found in RAW_CALL.finditer(code):
            yield f"{name}:{line_of(code, found.start())}: raw {found[1]}() belongs in src/sys"
    if not name.endswith("_test.cc") and name not in EXCEPTION_FILES:
        for found in EXCEPTION.finditer(code):
            word = found[1].rstrip("({ ")
            yield f"{name}:{line_of(code, found.start())}: '{word}': errors are values here, or list the file"


def check_source(name, text):
    """`name` is src/folder/file; comments and strings count for nothing but the includes."""
    folder = name.split("/")[1]
    if folder not in MAY_USE:
        return [f"{name}: folder src/{folder} is not in the table of tests/style/layers.py"]
    code = tree.code_only(text)
    return [*check_includes(name, folder, text), *check_calls(name, folder, code)]


def check_lists(sources):
    """An exception that is no longer needed is taken off its list."""
    for listed, pattern in ((RAW_CALL_FILES, RAW_CALL), (EXCEPTION_FILES, EXCEPTION)):
        for name in listed:
            if name not in sources or not pattern.search(tree.code_only(sources[name])):
                yield f"{name}: no longer needs its place on the list in tests/style/layers.py"


def check_links(cmake):
    """cove_folder(NAME LINKS …) may link only what the folder may include."""
    for name, links in re.findall(r"cove_folder\((\w+)\s+LINKS\s+([^)]*)\)", cmake):
        if name not in MAY_USE:
            yield f"CMakeLists.txt: folder {name} is not in the table of tests/style/layers.py"
            continue
        for link in set(links.split()) & set(MAY_USE) - MAY_USE[name]:
            yield f"CMakeLists.txt: {name} must not link {link} (it may: {allowed(name)})"


def self_test():
    cases = [
        ("arrow back", "src/sys/a.cc", '#include "jail/plan.h"', "must not include src/jail"),
        ("cli uses jail", "src/cli/a.cc", '#include "jail/plan.h"', "must not include src/jail"),
        ("wire uses sys", "src/wire/a.h", '#include "sys/fd.h"', "must not include src/sys"),
        ("no folder", "src/sys/a.cc", '#include "fd.h"', "must be written as"),
        ("heavy", "src/init/a.cc", "#include <boost/json.hpp>", "stays small"),
        ("options", "src/engine/a.cc", "#include <CLI/CLI.hpp>", "src/cli only"),
        ("new folder", "src/novel/a.cc", "", "not in the table"),
        ("raw fork", "src/jail/a.cc", "auto pid = ::fork();", "raw fork()"),
        ("raw syscall", "src/init/a.cc", "return syscall(SYS_foo);", "raw syscall()"),
        ("raw clone3", "src/spawner/a.cc", "clone3 (&args, 8);", "raw clone3()"),
        ("try", "src/engine/a.cc", "try { f(); } catch (...) {}", "errors are values"),
        ("throw", "src/engine/a.cc", "throw 1;", "errors are values"),
        ("good", "src/jail/a.cc", '#include "sys/fd.h"\n#include "jail/b.h"\n#include <sched.h>\n'
         '// fork() here\nauto x = sys::clone3(a); f("try { fork() }"); zygote.fork(); entry(); retry();', None),
        ("good test", "src/jail/a_test.cc", '#include "tests/support/host.h"\n#include <gtest/gtest.h>', None),
    ]
    for case, name, text, wanted in cases:
        tree.expect(case, check_source(name, text), wanted)
    tree.expect("links", list(check_links("cove_folder(sys LINKS base jail)")), "must not link jail")
    tree.expect("good links", list(check_links("cove_folder(jail LINKS sys wire PkgConfig::X)")), None)
    print(f"layers self-test: {len(cases) + 2} ok")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    paths = tree.cpp_files(tree.ROOT / "src")
    sources = {tree.relative(path): path.read_text() for path in paths}
    complaints = [c for name, text in sources.items() for c in check_source(name, text)]
    complaints += check_lists(sources)
    complaints += check_links((tree.ROOT / "CMakeLists.txt").read_text())
    tree.finish("layers", complaints, f"{len(sources)} files")


main()
