#!/usr/bin/python3
"""What a stateful interpreter costs: from nothing to the first result, a cell, output, a hundred at once, memory.

Contenders take turns in an order drawn anew each round. Everybody runs the same two cells: a trivial one, and a group-by with pandas.

  cove, pooled     a sandbox that was made ahead, with a context in it
  cove, fresh      a sandbox made when it is asked for, and a fork of the template's zygote
  cove, cold       the same without the zygote: an interpreter is started in it
  python3          the template's interpreter in a chroot: no sandbox, no state
  ipykernel        a kernel through jupyter_client: no sandbox
  runc             the template's interpreter in a container: no state
  pyodide          Python in WebAssembly, in Node: the trivial cell only, its pandas comes from the network

Times of Cove are taken by a client in C++ over the spawner's and init's sockets, those of ipykernel by jupyter_client in its own interpreter.
Ratios travel; milliseconds belong to the machine. Failed samples fail the benchmark; a missed target does with --assert only. The results are
DIR/contexts.json and DIR/contexts.png.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "lib"), os.path.join(HERE, "..", "tests", "lib")]

import choices  # noqa: E402
import context_chart  # noqa: E402
import cove  # noqa: E402
import figures  # noqa: E402
import machine  # noqa: E402
import memory  # noqa: E402
import rivals  # noqa: E402
import watches  # noqa: E402

TEMPLATE = "python"
JOBS = {
    "trivial": "x = 1 + 1\nprint(x)",
    "pandas": "import pandas as pd\nprint(pd.DataFrame({'k': list('aab'), 'v': [1, 2, 3]}).groupby('k').sum())",
}
STARTS = ("pooled", "fresh", "cold")
SLOW = {"ipykernel": 5, "pyodide": 5, "cold": 2}  # measured in every so manieth round
MODES = [{"name": "back-to-back", "pace_ms": 0, "burst": 5, "rounds": 10}, {"name": "paced at 50 ms", "pace_ms": 50, "burst": 1, "rounds": 30}]
WRITTEN = {"1 MB": 1_000_000, "100 MB": 100_000_000}
WRITE = "import os, sys\nsys.stdout.write('x' * 999 + '\\n') and None\nfor _ in range({lines} - 1): sys.stdout.write('x' * 999 + '\\n')\nsys.stdout.flush()"
AT_ONCE = 100
DENSITY = (1, 100, 1000)
KERNELS = 20
CROWD = "ready = 0\ndisk = tmpfs\n"
CONFIG = f"ready = {AT_ONCE}\nready_memory = 4G\ndisk = tmpfs\n"


def client(instance):
    return [cove.program("contexts_bench"), "--state", instance.state, "--template", TEMPLATE]


class Field:
    def __init__(self, folder):
        self.instance = cove.Instance(templates=(TEMPLATE,))
        self.instance.configure(CONFIG)
        self.instance.start_spawner()
        self.root = os.path.join(folder, "root")
        os.mkdir(self.root)
        subprocess.run(["mount", "-o", "bind,ro", f"{self.instance.state}/templates/{self.instance.digest(TEMPLATE)}/root", self.root], check=True)
        self.containers = rivals.Containers(folder, "runc", [])
        self.cove = watches.Watch(client(self.instance))
        self.ipykernel = watches.ipykernel(cove.SHARED_STATE)
        self.pyodide = watches.pyodide_command(cove.SHARED_STATE)
        self.commands = {}
        for job, code in JOBS.items():
            argv = ["/usr/bin/python3", "-c", code]
            self.commands[f"python3/{job}"] = ["chroot", self.root, *argv]
            self.commands[f"runc/{job}"] = self.containers.command(self.root, job, argv)
        self.commands["pyodide/trivial"] = [*self.pyodide, JOBS["trivial"]]
        self._count = 0
        self.left = []

    def contenders(self):
        return [*STARTS, "python3", "ipykernel", "runc", "pyodide"]

    def first(self, who, job):
        """Milliseconds from nothing to the result, or None where there is nothing to measure."""
        if who in STARTS:
            return self.cove.ask(do="first", start=who, code=JOBS[job])["us"] / 1000
        if who == "ipykernel":
            return self.ipykernel.ask(do="first", code=JOBS[job])["us"] / 1000
        command = self.commands.get(f"{who}/{job}")
        if command is None:
            return None
        self._count += 1
        return watches.time_command([word.replace("{n}", str(self._count)) for word in command])

    def wait_for_pool(self, count):
        cove.wait_until(lambda: len(self.waiting()) >= count, f"{count} sandboxes to wait ready", 120)

    def waiting(self):
        """Those with a context in them."""
        return [pid for pid in memory.processes(self.instance.tag) if memory.is_python(pid)]

    def close(self):
        # First: whoever removes the folder must not find the template in it.
        subprocess.run(["umount", "--lazy", self.root], check=True)
        for watch in (self.cove, self.ipykernel):
            watch.close()
        self.instance.stop_spawner()  # takes apart what waits ready
        return [*self.containers.remove(), *self.instance.close(), *self.left]


def measure_first(field, mode, smoke):
    samples = {job: {who: [] for who in field.contenders()} for job in JOBS}
    for number in range(1 if smoke else mode["rounds"]):
        turns = [(job, who) for job in JOBS for who in field.contenders() if number % SLOW.get(who, 1) == 0]
        random.shuffle(turns)
        for job, who in turns:
            for _ in range(1 if smoke or who in SLOW else mode["burst"]):
                time.sleep(mode["pace_ms"] / 1000)
                took = field.first(who, job)
                if took is not None:
                    samples[job][who].append(took)
    return {"name": mode["name"], "jobs": {job: {who: figures.row_of(times, []) for who, times in rows.items()} for job, rows in samples.items()}}


def measure_cells(field, smoke):
    rows = {}
    for name, pace in (("back-to-back", 0), ("paced at 50 ms", 0.05)):
        times = {"cove": [], "ipykernel": []}
        for _ in range(3 if smoke else 200):
            for who, watch in (("cove", field.cove), ("ipykernel", field.ipykernel)):
                time.sleep(pace)
                times[who].append(watch.ask(do="cell", code="1 + 1")["us"] / 1000)
        rows[name] = {who: figures.row_of(all_times[1:], []) for who, all_times in times.items()}
    return rows


def measure_output(field, smoke):
    rows = {}
    for name, size in WRITTEN.items():
        rows[name] = {}
        for who, watch in (("cove", field.cove), ("ipykernel", field.ipykernel)):
            code = WRITE.format(lines=max(1, size // 1000 // (100 if smoke else 1)))
            times = [watch.ask(do="cell", code=code)["us"] / 1000 for _ in range(1 if smoke else 5 if size < 10**7 else 2)]
            rows[name][who] = figures.row_of(times, [])
    return rows


def measure_bursts(field, smoke):
    count = 4 if smoke else AT_ONCE
    field.cove.ask(do="first", start="pooled", code=JOBS["trivial"])
    field.cove.ask(do="first", start="pooled", code=JOBS["trivial"])
    rows = {}
    for name, start in (("pool warm", "pooled"), ("pool empty", "fresh")):
        lasts, all_times = [], []
        for _ in range(1 if smoke else 5):
            if start == "pooled":
                field.wait_for_pool(count)
            else:
                time.sleep(2)  # what the last round left is taken apart meanwhile
            times = [us / 1000 for us in field.cove.ask(do="burst", start=start, count=count, code=JOBS["trivial"])["all_us"]]
            lasts.append(max(times))
            all_times += times
        rows[name] = {"count": count, "last_ms": sorted(lasts)[len(lasts) // 2], "p50_ms": figures.row_of(all_times, [])["p50_ms"]}
    return rows


def measure_rate(field, smoke):
    rows = {}
    for start in ("pooled", "fresh"):
        count = 5 if smoke else 300
        begin = time.monotonic()
        for _ in range(count):
            field.cove.ask(do="first", start=start, code=JOBS["trivial"])
        rows[start] = {"count": count, "per_second": count / (time.monotonic() - begin)}
    return rows


def measure_density(field, smoke):
    rows = {"cove": {}, "ipykernel": {}}
    code = "import pandas"
    # An instance of its own: of a thousand, none is to be one that waited.
    instance = cove.Instance(templates=(TEMPLATE,))
    instance.configure(CROWD)
    instance.start_spawner()
    watch = watches.Watch(client(instance))
    try:
        for count in (1, 3) if smoke else DENSITY:
            names = watch.ask(do="hold", count=count, code=code)["sandboxes"]
            rows["cove"][count] = memory.per_context(instance.tag, names)
        watch.ask(do="release")
    finally:
        watch.close()
        instance.stop_spawner()
        field.left += instance.close()
    count = 2 if smoke else KERNELS
    rows["ipykernel"][count] = memory.of_processes(field.ipykernel.ask(do="hold", count=count, code=code)["pids"])
    field.ipykernel.ask(do="release")
    return rows


def targets(results):
    """Of design and specification: (what, measured, at most or at least, met)."""
    rows = []

    def at_most(what, measured, limit):
        rows.append({"what": what, "measured": measured, "limit": limit, "met": measured <= limit})

    for mode in results["first"]:
        for job, row in mode["jobs"].items():
            at_most(f"{job}, pooled, {mode['name']}: p50 ms", row["pooled"]["p50_ms"], 2)
            at_most(f"{job}, fresh, {mode['name']}: p50 ms", row["fresh"]["p50_ms"], 15)
    for name, row in results["cells"].items():
        at_most(f"cell, {name}: p50 ms", row["cove"]["p50_ms"], 1)
        at_most(f"cell, {name}: p99 ms", row["cove"]["p99_ms"], 5)
    at_most("100 at once, pool warm: last, ms", results["bursts"]["pool warm"]["last_ms"], 150)
    at_most("100 at once, pool empty: last, ms", results["bursts"]["pool empty"]["last_ms"], 1000)
    for start, row in results["rate"].items():
        rows.append({"what": f"create, run, delete, {start}: per second", "measured": row["per_second"], "limit": 150, "met": row["per_second"] >= 150})
    largest = max(results["density"]["cove"])
    at_most(f"private memory of a context, {largest} live: MB", results["density"]["cove"][largest]["context_private_mb"], 6)
    return rows


def show(results):
    for mode in results["first"]:
        for job, rows in mode["jobs"].items():
            print(f"\nfirst result, {job}, {mode['name']}")
            best = rows["pooled"]["p50_ms"]
            for who, row in rows.items():
                if row["p50_ms"] is not None:
                    print(f"  {who:10} {row['p50_ms']:9.2f} ms  p99 {row['p99_ms']:9.2f}  n {row['n']:4}  {row['p50_ms'] / best:8.1f} x pooled")
    for title in ("cells", "output"):
        print(f"\n{title}")
        for name, rows in results[title].items():
            for who, row in rows.items():
                print(f"  {name:16} {who:10} {row['p50_ms']:9.2f} ms  p99 {row['p99_ms']:9.2f}")
    for title in ("bursts", "rate", "density"):
        print(f"\n{title}")
        for name, row in results[title].items():
            print(f"  {name}: {json.dumps(row)}")
    print()
    for row in results["targets"]:
        print(f"  {'met   ' if row['met'] else 'MISSED'} {row['what']}: {row['measured']:.2f} (limit {row['limit']})")


def run(field, smoke):
    results = {"machine": machine.describe()}
    results["first"] = []
    for _ in range(3):  # so that the pool is there, and everybody's files are in memory
        for who in field.contenders():
            for job in JOBS:
                field.first(who, job)
    for mode in MODES:
        print(f"measuring: first result, {mode['name']}", file=sys.stderr)
        results["first"].append(measure_first(field, mode, smoke))
    for name, measure in (("cells", measure_cells), ("output", measure_output), ("bursts", measure_bursts), ("rate", measure_rate), ("density", measure_density)):
        print(f"measuring: {name}", file=sys.stderr)
        results[name] = measure(field, smoke)
    results["targets"] = targets(results)
    return results


def main():
    chosen = choices.parse(__doc__)
    # A client holds a connection for each context.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory(prefix="cove-bench-") as folder:
        field = Field(folder)
        try:
            results = run(field, chosen.smoke)
        finally:
            left = field.close()
    show(results)
    os.makedirs(chosen.out, exist_ok=True)
    with open(os.path.join(chosen.out, "contexts.json"), "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    context_chart.draw(results, os.path.join(chosen.out, "contexts.png"))
    print(f"\nwritten: {chosen.out}/contexts.json, {chosen.out}/contexts.png")
    machine.warn_if_busy(results["machine"])
    if left:
        print(f"contexts: left behind: {left}", file=sys.stderr)
    missed = sum(not row["met"] for row in results["targets"])
    if missed and chosen.must_meet:
        print(f"contexts: {missed} target(s) missed", file=sys.stderr)
    return 1 if left or (missed and chosen.must_meet) else 0


if __name__ == "__main__":
    sys.exit(main())
