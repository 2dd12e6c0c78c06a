#!/usr/bin/env python3
"""How long a command takes from start to end: bare, in bubblewrap, in a sandbox of Cove; without and with Python.

Contenders take turns, one run each per round, so that a busy moment of the machine hits all of them alike. The ratio to
the bare command is the figure that travels; milliseconds belong to the machine.
"""

import argparse
import json
import statistics
import subprocess
import time

BWRAP = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--"]


def contenders(cove, state):
    run = [cove, "--state", state, "run"]
    return {
        "true": {"bare": ["/bin/true"], "bwrap": [*BWRAP, "/bin/true"], "cove": [*run, "--", "/bin/true"]},
        "python": {"bare": ["/usr/bin/python3", "-c", "pass"], "bwrap": [*BWRAP, "/usr/bin/python3", "-c", "pass"],
                   "cove": [*run, "-c", "pass"]},
    }


def milliseconds(command):
    began = time.perf_counter()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - began) * 1000


def measure(commands, rounds):
    for command in commands.values():  # the first run pays for cold caches and for Cove's spawner
        milliseconds(command)
    times = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(milliseconds(command))
    return {name: summary(values) for name, values in times.items()}


def summary(values):
    ordered = sorted(values)
    return {"p50_ms": statistics.median(ordered), "p90_ms": ordered[int(len(ordered) * 0.9)], "min_ms": ordered[0], "runs": len(ordered)}


def show(job, rows):
    print(f"{job:10} {'p50 ms':>9} {'p90 ms':>9} {'min ms':>9} {'x bare':>7}")
    for name, row in rows.items():
        ratio = row["p50_ms"] / rows["bare"]["p50_ms"]
        print(f"  {name:8} {row['p50_ms']:9.2f} {row['p90_ms']:9.2f} {row['min_ms']:9.2f} {ratio:7.1f}")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cove", default="build/bin/cove")
    options.add_argument("--state", default="/var/lib/cove")
    options.add_argument("--out", help="file for the figures as JSON")
    options.add_argument("--smoke", action="store_true", help="three rounds only")
    chosen = options.parse_args()
    figures = {}
    for job, commands in contenders(chosen.cove, chosen.state).items():
        figures[job] = measure(commands, 3 if chosen.smoke else 50)
        show(job, figures[job])
    if chosen.out:
        with open(chosen.out, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1)


main()
