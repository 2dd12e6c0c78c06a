"""What exists on the machine because of one instance: measured from the kernel's own lists, never from what Cove says.

Other instances may be at work at the same time, so everything is told apart by the instance's tag.
"""

import glob
import os
import re
import time


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:  # processes and groups come and go while we look
        return ""


def link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


def hierarchies():
    """The mount points of every cgroup hierarchy, v1 and v2."""
    found = set()
    for line in read("/proc/self/mountinfo").splitlines():
        fields = line.split()
        if fields[fields.index("-") + 1] in ("cgroup", "cgroup2"):
            found.add(fields[4])
    return sorted(found)


def is_unified():
    """Whether cgroup v2 is all there is."""
    return os.path.exists("/sys/fs/cgroup/cgroup.controllers")


def made_ahead(run_directory):
    """What the spawner keeps ready for sandboxes to come: their names, by the sockets that wait for them."""
    return {name.removeprefix("sandboxes/").removesuffix(".ahead") for name in files(run_directory) if name.endswith(".ahead")}


def in_use(run_directory, look):
    """Of the (sandbox, thing) pairs that are found, the things that are not just kept ready. The spawner makes ahead and gives
    up again while we look: one that was kept ready before or after it is not in use."""
    ahead = made_ahead(run_directory)
    found = list(look())
    ahead |= made_ahead(run_directory)
    return {thing for sandbox, thing in found if sandbox not in ahead}


def cgroups(tag, run_directory):
    """Every group below the instance's own, in every hierarchy, that is not just kept ready."""
    return in_use(run_directory, lambda: ((os.path.basename(folder), folder) for top in hierarchies()
                                          for folder, _, _ in os.walk(f"{top}/{tag}") if folder != f"{top}/{tag}"))


def sandbox_names(tag, run_directory):
    return sorted(in_use(run_directory, lambda: ((name, name) for top in hierarchies() if os.path.isdir(f"{top}/{tag}")
                                                 for name in os.listdir(f"{top}/{tag}") if os.path.isdir(f"{top}/{tag}/{name}"))))


def remove_groups(tag):
    """After a spawner was killed for good, its empty parent groups are the test's to remove."""
    for top in hierarchies():
        for folder, _, _ in os.walk(f"{top}/{tag}", topdown=False):
            os.rmdir(folder)


def processes(tag, run_directory):
    """Whoever is in a group of the instance, and not just kept ready."""
    return in_use(run_directory, lambda: ((group_of(folder, tag), f"{folder.removeprefix('/proc/')} {read(folder + '/comm').strip()}")
                                          for folder in glob.glob("/proc/[0-9]*") if group_of(folder, tag) and not belongs_to_the_machine(folder)))


def belongs_to_the_machine(folder):
    """Dead, and waiting to be reaped by whoever inherits orphans here: its spawner has ended before it."""
    state, parent = (read(f"{folder}/stat").rpartition(")")[2].split() or ["", "0"])[:2]
    return state == "Z" and "spawner" not in read(f"/proc/{parent}/comm")


def foreign(folder, tag):
    """A process of somebody else's instance."""
    return bool(re.search(rf"/cove(-(?!{tag.removeprefix('cove-')})[0-9a-f]{{8}})?/", read(f"{folder}/cgroup")))


def network_namespaces(tag, run_directory):
    """Those that a process of ours or of nobody's instance lives in, and not just for a moment: a spawner makes one ahead in
    a process of its own. Sandboxes that are kept ready do not count."""
    seen = []
    for _ in range(4):
        seen.append(in_use(run_directory, lambda: ((group_of(folder, tag), link(f"{folder}/ns/net"))
                                                   for folder in glob.glob("/proc/[0-9]*") if not foreign(folder, tag))))
        time.sleep(0.05)
    return set.intersection(*seen) - {""}


def group_of(folder, tag):
    """The sandbox that a process belongs to."""
    found = re.search(rf"/{tag}/(\w+)", read(f"{folder}/cgroup"))
    return found[1] if found else ""


def is_in_pid_namespace(folder):
    """Of its own: a process has a number in each."""
    found = re.search(r"^NSpid:(.*)", read(f"{folder}/status"), re.M)
    return found is not None and len(found[1].split()) > 1


def held_namespaces(pid):
    """Namespaces that a process keeps alive by a descriptor, by kind."""
    held = [link(path) for path in glob.glob(f"/proc/{pid}/fd/*")]
    return sorted(target for target in held if re.match(r"(cgroup|ipc|mnt|net|pid|time|user|uts):\[", target))


def descriptors(pid):
    """Their number, once nobody who has just left is among them."""
    counts = []
    while len(counts) < 3 or len(set(counts[-3:])) > 1:
        counts.append(len(os.listdir(f"/proc/{pid}/fd")))
        time.sleep(0.05)
    return counts[-1]


def children(pid):
    return read(f"/proc/{pid}/task/{pid}/children").split()


def resident_bytes(pid):
    return int(re.search(r"VmRSS:\s+(\d+) kB", read(f"/proc/{pid}/status"))[1]) * 1024


def mounts(pid="self"):
    """Mount points as that process sees them, with multiplicity."""
    return sorted(line.split()[4] for line in read(f"/proc/{pid}/mountinfo").splitlines())


def files(directory):
    return sorted(os.path.relpath(os.path.join(folder, name), directory)
                  for folder, below, names in os.walk(directory) for name in [*below, *names])


def of_instance(tag, run_directory):
    return {"cgroups": cgroups(tag, run_directory), "processes": processes(tag, run_directory), "network namespaces": network_namespaces(tag, run_directory),
            "mounts": mounts(), "mounts of the machine": mounts(1),
            "files": [name for name in files(run_directory) if not name.endswith(".ahead")]}


def beyond_state(tag, run_directory):
    """After the spawner's proper end: what should not be there."""
    left = [f"cgroup {group}" for group in sorted(cgroups(tag, run_directory))]
    left += [f"cgroup {top}/{tag}" for top in hierarchies() if os.path.isdir(f"{top}/{tag}")]
    left += [f"process {one}" for one in sorted(processes(tag, run_directory))]
    left += [f"file {name}" for name in files(run_directory) if name not in ("sandboxes", "stage", "spawner.lock", "spawner.log", "serve.lock", "server")]
    return left


def kernel_objects():
    """Live objects of the kernel that sandboxes are made of, for the whole machine."""
    wanted = ("net_namespace", "pid_namespace", "user_namespace", "mnt_cache")
    lines = (line.split() for line in read("/proc/slabinfo").splitlines())
    return {fields[0]: int(fields[1]) for fields in lines if fields and fields[0] in wanted} | memory_groups()


def memory_groups():
    lines = (line.split() for line in read("/proc/cgroups").splitlines())
    return {"memory cgroups": int(fields[2]) for fields in lines if fields and fields[0] == "memory"}


def cpu_seconds(tag, sandbox):
    """What a sandbox has used so far, its dead processes included, by the unified hierarchy's own count."""
    for top in hierarchies():
        found = re.search(r"^usage_usec (\d+)", read(f"{top}/{tag}/{sandbox}/cpu.stat"), re.MULTILINE)
        if found:
            return int(found[1]) / 1e6
    raise AssertionError(f"no hierarchy counts the time of {sandbox}")
