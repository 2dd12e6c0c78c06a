#!/usr/bin/env python3
"""Tests leave the machine as they found it: mounts, cgroups, processes, network namespaces, loop devices.

  leftovers.py take FILE     write down what is there now
  leftovers.py compare FILE  fail when something is there now that is not in FILE
  leftovers.py --self-test   prove that each kind of leftover is found

What the machine itself starts meanwhile (units of systemd, a user's session, groups below another program's) is not ours and
does not count; anything with "cove" in its name always does. Ending takes a moment, so a difference is looked at again for ten seconds.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import tree

OURS = re.compile(r"cove")
SYSTEM_UNIT = re.compile(r"\.(service|scope|slice|socket|mount|timer)(/|$)")
SYSTEM_MOUNT = re.compile(r"^/run/(credentials|user)/")


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:  # processes and groups come and go while we look
        return ""


def mount_lines():
    return [line.split() for line in read("/proc/self/mountinfo").splitlines()]


def mounts():
    return {f"{fields[4]} ({fields[fields.index('-') + 1]})" for fields in mount_lines() if not SYSTEM_MOUNT.match(fields[4])}


def cgroups():
    """Of every mounted hierarchy: what is called after us, and whatever lies where a program of ours could have made it."""
    tops = {fields[4] for fields in mount_lines() if fields[fields.index("-") + 1] in ("cgroup", "cgroup2")}
    found = {folder for top in tops for folder, _, _ in os.walk(top)}
    own = {line.split(":", 2)[2].strip() for line in read("/proc/self/cgroup").splitlines()}
    homes = tops | {(top + path).rstrip("/") for top in tops for path in own}
    return {folder for folder in found if OURS.search(folder) or (os.path.dirname(folder) in homes and is_ours_or_unknown(folder))}


def is_ours_or_unknown(cgroup):
    return bool(OURS.search(cgroup)) or not SYSTEM_UNIT.search(cgroup)


def processes():
    """Processes called cove… and processes in a cgroup of ours, by id and name."""
    found, own_group = set(), read("/proc/self/cgroup")
    for folder in glob.glob("/proc/[0-9]*"):
        name, program, group = read(f"{folder}/comm").strip(), link(f"{folder}/exe"), read(f"{folder}/cgroup")
        in_our_group = group != own_group and OURS.search(group)
        if name.startswith("cove") or os.path.basename(program).startswith("cove") or in_our_group:
            found.add(f"{folder.removeprefix('/proc/')} {name}")
    return found


def link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


def network_namespaces():
    """Those that a process lives in or that a file keeps alive."""
    found = {f"mounted at {fields[4]}" for fields in mount_lines() if fields[3].startswith("net:")}
    for folder in glob.glob("/proc/[0-9]*"):
        space = link(f"{folder}/ns/net")
        if space and is_ours_or_unknown(read(f"{folder}/cgroup")):
            found.add(space)
    return found


def loop_devices():
    return {f"{path.split('/')[3]} {read(path).strip()}" for path in glob.glob("/sys/block/loop*/loop/backing_file")}


KINDS = {"mount": mounts, "cgroup": cgroups, "process": processes, "network namespace": network_namespaces,
         "loop device": loop_devices}


def take():
    return {kind: sorted(look()) for kind, look in KINDS.items()}


def difference(before, now):
    return [f"left behind: {kind}: {thing}" for kind in KINDS for thing in now[kind] if thing not in before[kind]]


def compare(before, patience):
    """Looks again for `patience` seconds, until nothing is left."""
    deadline = time.monotonic() + patience
    while True:
        left = difference(before, take())
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.5)


def self_test():
    """Data for each kind, and a real process and network namespace, which need no clean-up but their end."""
    empty = {kind: [] for kind in KINDS}
    for kind in KINDS:
        tree.expect(kind, difference(empty, empty | {kind: ["thing"]}), kind)
        tree.expect(f"{kind} gone", difference(empty | {kind: ["thing"]}, empty), None)
    before = take()
    with tempfile.TemporaryDirectory() as folder:
        program = shutil.copy("/bin/sleep", f"{folder}/cove-leftover")
        leaves(before, [program, "60"], "cove-leftover")
    if os.geteuid() == 0:
        leaves_group(before)
        leaves(before, ["unshare", "--net", "sleep", "60"], "network namespace: net:")
    print(f"leftovers self-test: {2 * len(KINDS) + 4} ok")


def leaves(before, command, wanted):
    process = subprocess.Popen(command)
    try:
        deadline = time.monotonic() + 10  # the new program appears a moment after Popen returns
        while time.monotonic() < deadline and not any(wanted in line for line in difference(before, take())):
            time.sleep(0.01)
        tree.expect(" ".join(command), difference(before, take()), wanted)
    finally:
        process.kill()
        process.wait()


def leaves_group(before):
    """A name that says nothing counts where a container's runtime would put it, and not below a group of somebody else's."""
    top = next(fields[4] for fields in mount_lines() if fields[fields.index("-") + 1] in ("cgroup", "cgroup2"))
    strange = tempfile.mkdtemp(prefix="strange", dir=top)
    inner = f"{strange}/inner"

    def found(known):
        return [line for line in difference(known, take()) if strange in line]  # others are at work on this machine, too

    try:
        tree.expect("a group", found(before), strange)
        os.mkdir(inner)
        tree.expect("a group of another's", found(before | {"cgroup": [*before["cgroup"], strange]}), None)
    finally:
        for folder in filter(os.path.isdir, (inner, strange)):
            os.rmdir(folder)


def main():
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) != 2 or arguments[0] not in ("take", "compare"):
        sys.exit(__doc__)
    if arguments[0] == "take":
        with open(arguments[1], "w", encoding="utf-8") as file:
            json.dump(take(), file, indent=1)
        return None
    with open(arguments[1], encoding="utf-8") as file:
        before = json.load(file)
    return tree.finish("leftovers", compare(before, patience=10), f"{len(KINDS)} kinds")


main()
