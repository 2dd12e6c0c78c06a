#!/usr/bin/python3
"""What a sandbox costs: `true` and `python3 -c pass` bare, in Cove, in bubblewrap, runc and runsc, in one run.

Contenders take turns in an order drawn anew each round, so that a busy moment of the machine hits all of them alike. All run
the programs of the template `base`, read-only, and all but requests are started in the same way by build/bin/jail_bench.
Back-to-back means five samples in a row per turn, so that what a tool leaves to the background meets mostly itself, and once a
hundred, where nothing can be left to the background or made ahead any more; paced means 50 ms of quiet before each sample. Twenty at once are twenty of one contender, let go at the same moment.

  bare      the template's program in a chroot: the fork, the exec, the program
  cove      create, connect, run, destroy over an open connection to the spawner
  cove run  the command line, which does the same and starts a program first
  bwrap, runc, runsc   see bench/lib/rivals.py

Ratios travel; milliseconds belong to the machine. Failed samples are counted and fail the benchmark; a missed target fails it with
--assert only. The results are DIR/jail.json and DIR/jail.png.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "lib"), os.path.join(HERE, "..", "tests", "lib")]

import chart  # noqa: E402
import choices  # noqa: E402
import cove  # noqa: E402
import figures  # noqa: E402
import machine  # noqa: E402
import rivals  # noqa: E402

JOBS = {"true": ["/usr/bin/true"], "python": ["/usr/bin/python3", "-c", "pass"]}
CONTENDERS = {"bare": "bare exec", "cove": "cove, request", "cove run": "cove run", "bwrap": "bwrap", "runc": "runc", "runsc": "runsc"}
EVERY = {"runsc": 4}  # slow: measured in every so manieth round

MODES = [
    {"name": "back-to-back", "concurrency": 1, "pace_ms": 0, "burst": 5, "rounds": 60},
    {"name": "back-to-back, 100 in a row", "concurrency": 1, "pace_ms": 0, "burst": 100, "rounds": 2},
    {"name": "paced at 50 ms", "concurrency": 1, "pace_ms": 50, "burst": 1, "rounds": 200},
    {"name": "back-to-back, 20 at once", "concurrency": 20, "pace_ms": 0, "burst": 2, "rounds": 8},
    {"name": "paced at 50 ms, 20 at once", "concurrency": 20, "pace_ms": 50, "burst": 1, "rounds": 16},
]


class Field:
    """Where the contenders meet: an instance of Cove, the template's root bound read-only, the rivals' bundles."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="cove-bench-")
        self.instance = cove.Instance()
        self.containers = {"runc": rivals.Containers(self.folder, "runc", []),
                           "runsc": rivals.Containers(self.folder, "runsc", ["--platform=ptrace", "--network=none"])}
        # In this process's own mount namespace; read-only, so that no contender can change the template for the others.
        self.root = os.path.join(self.folder, "root")
        os.mkdir(self.root)
        template = f"{self.instance.state}/templates/{self.instance.digest()}/root"
        subprocess.run(["mount", "-o", "bind,ro", template, self.root], check=True)
        self.cases = os.path.join(self.folder, "cases")
        self.client = None

    def prepare(self):
        self.instance.start_spawner()
        with open(self.cases, "w", encoding="utf-8") as file:
            for job, argv in JOBS.items():
                for name, words in self.commands(job, argv).items():
                    print(f"{job}/{name}", EVERY.get(name, 1), *words, sep="\t", file=file)

    def commands(self, job, argv):
        commands = {
            "bare": ["chroot", self.root, *argv],
            "cove": ["request", *argv],
            "cove run": ["exec", *self.instance.command("run", "--", *argv)],
            "bwrap": ["exec", *rivals.bwrap(self.root, argv)],
        }
        for name, containers in self.containers.items():
            commands[name] = ["exec", *containers.command(self.root, job, argv)]
        return commands

    def measure(self, mode, errors):
        """The samples of one mode, as lines."""
        command = [cove.program("jail_bench"), "run", "--state", self.instance.state, "--cases", self.cases]
        for option in ("rounds", "burst", "concurrency"):
            command += [f"--{option}", str(mode[option])]
        # A group of its own: an interrupt is ours to handle, and then reaches all that the client has started.
        self.client = subprocess.Popen([*command, "--pace", str(mode["pace_ms"])], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=errors, text=True, start_new_session=True)
        lines = self.client.communicate()[0].splitlines()
        if self.client.returncode != 0:
            raise RuntimeError(f"jail_bench has ended with {self.client.returncode}")
        self.client = None
        return lines

    def close(self):
        """Ends all of it and tells what could not be ended."""
        if self.client:
            end_group_of(self.client)
        left = [one for containers in self.containers.values() for one in containers.remove()]
        self.instance.stop_spawner()  # in order: close() would kill it
        left += self.instance.close()
        subprocess.run(["umount", self.root], check=True)
        shutil.rmtree(self.folder)
        return left


def end_group_of(client):
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            client.poll()
            try:
                os.killpg(client.pid, number)
            except ProcessLookupError:
                return
            time.sleep(0.05)


def answer_interrupts(handler):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handler)


def smoke(mode):
    return mode | {"rounds": 1, "burst": 1, "pace_ms": min(mode["pace_ms"], 1), "concurrency": min(mode["concurrency"], 3)}


def measure_all(field, modes):
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        measured = []
        for mode in modes:
            print(f"measuring: {mode['name']}", file=sys.stderr)
            try:
                samples = figures.read_samples(field.measure(mode, errors))
            finally:
                show_errors(errors)
            measured.append(mode | {"jobs": {job: figures.figures_of(samples, job, CONTENDERS) for job in JOBS}})
            figures.print_mode(measured[-1])
        return measured


def show_errors(errors):
    """What the contenders have said on stderr, some of it."""
    errors.seek(0)
    for line in errors.readlines()[:20]:
        print("  | " + line, end="", file=sys.stderr)
    errors.seek(0)
    errors.truncate()


def write_results(results, folder):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "jail.json"), "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    chart.draw(results["modes"], CONTENDERS, os.path.join(folder, "jail.png"))
    print(f"\nwritten: {folder}/jail.json, {folder}/jail.png")


def show_failures(modes):
    """Prints the first failure of each contender, and returns how many there were."""
    failures = 0
    for mode in modes:
        for job, rows in mode["jobs"].items():
            for name, row in rows.items():
                failures += row["failures"]
                if row["failures"]:
                    print(f"jail: {job}/{name}, {mode['name']}: {row['failures']} failed, first: {row['first_failure']}", file=sys.stderr)
    return failures


def verdict(results, left, must_meet):
    failures = show_failures(results["modes"])
    missed = sum(not row["met"] for row in results["targets"])
    machine.warn_if_busy(results["machine"])
    if missed and must_meet:
        print(f"jail: {missed} target(s) missed", file=sys.stderr)
    return 1 if failures or left or (missed and must_meet) else 0


def main():
    chosen = choices.parse(__doc__)
    if chosen.smoke and chosen.must_meet:
        options.error("--smoke measures nothing that --assert could judge")
    facts = machine.describe()
    answer_interrupts(signal.SIG_IGN)  # until there is somebody to clean up
    field = Field()
    try:
        answer_interrupts(lambda number, _: sys.exit(128 + number))
        field.prepare()
        modes = measure_all(field, [smoke(mode) for mode in MODES] if chosen.smoke else MODES)
    finally:
        answer_interrupts(signal.SIG_IGN)  # cleaning up is quick, and not to be cut short
        left = field.close()
        if left:
            print("jail: left behind: " + "; ".join(left), file=sys.stderr)
    results = {"machine": facts, "modes": modes, "targets": figures.targets(modes)}
    figures.print_targets(results["targets"])
    if chosen.smoke:
        print("a smoke test: these figures say nothing")
    write_results(results, chosen.out)
    sys.exit(verdict(results, left, chosen.must_meet))


if __name__ == "__main__":
    main()
