"""What processes take: memory that is theirs alone, and their share of what they have in common with others."""

import glob

import traces


def processes(tag):
    """Of every sandbox of an instance, made ahead or not: [pid]."""
    return [int(path.removeprefix("/proc/")) for path in glob.glob("/proc/[0-9]*") if traces.group_of(path, tag)]


def is_python(pid):
    """Whether it is a context; a zygote has no pid namespace of its own."""
    return traces.is_in_pid_namespace(f"/proc/{pid}") and traces.read(f"/proc/{pid}/comm").startswith("python")


def _rollup(pid):
    fields = {}
    for line in traces.read(f"/proc/{pid}/smaps_rollup").splitlines()[1:]:
        name, _, value = line.partition(":")
        fields[name] = int(value.split()[0])
    return fields.get("Private_Clean", 0) + fields.get("Private_Dirty", 0), fields.get("Pss", 0)


def of_processes(pids):
    """Per process, in MB."""
    rolled = [_rollup(pid) for pid in pids]
    return {"count": len(pids), "context_private_mb": sum(one for one, _ in rolled) / len(pids) / 1024, "pss_mb": sum(one for _, one in rolled) / len(pids) / 1024}


def per_context(tag, names):
    """Of sandboxes with a context each: the context alone, and everything in the sandbox."""
    wanted = set(names)
    mine = [pid for pid in processes(tag) if wanted & set(traces.read(f"/proc/{pid}/cgroup").replace("\n", "/").split("/"))]
    contexts = [pid for pid in mine if is_python(pid)]
    told = of_processes(contexts)
    everything = [_rollup(pid) for pid in mine]
    return told | {"sandbox_private_mb": sum(one for one, _ in everything) / len(names) / 1024, "sandbox_pss_mb": sum(one for _, one in everything) / len(names) / 1024}
