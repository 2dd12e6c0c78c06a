"""For tests that run in the guest of tests/guest alone, because they change or need what no other machine should have to give."""

import os
import time

import traces

TOP = "/sys/fs/cgroup"

if "cove.guest" not in traces.read("/proc/cmdline").split():
    raise SystemExit("this test changes settings of the machine it runs on: run it with tests/guest/run")


def group_of(instance, sandbox):
    return f"{TOP}/{instance.tag}/{sandbox}"


def leaves(group):
    return sorted(name for name in os.listdir(group) if os.path.isdir(f"{group}/{name}"))


def values(path):
    """The numbers of a file of lines "key number"."""
    return {key: int(number) for key, number in (line.split() for line in traces.read(path).splitlines())}


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def write_at(directory, name, text):
    file = os.open(name, os.O_WRONLY, dir_fd=directory)
    os.write(file, text.encode())


def used_microseconds(group):
    return values(f"{group}/cpu.stat")["usage_usec"]


def stands_still(group, seconds):
    """Whether no processor time was used meanwhile."""
    before = used_microseconds(group)
    time.sleep(seconds)
    return used_microseconds(group) == before


def as_user(uid, action):
    """What the action's error number is (0: none) when this user tries it, in a process of its own."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            action()
            os._exit(0)
        except OSError as error:
            os._exit(error.errno)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
