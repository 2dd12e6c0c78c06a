"""What a command costs elsewhere: the same root file system and the same arguments in bubblewrap, runc and runsc.

Each is set up the way its manual shows, with what Cove does by default where the tool can: namespaces of its own, no
network, a read-only root, and for those that know limits the ones of `cove run` (512 MiB, 1 CPU, 256 processes).
"""

import glob
import json
import os
import signal
import subprocess
import time

CGROUPS = "/sys/fs/cgroup"


def bwrap(root, argv):
    return ["/usr/bin/bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", root, "/", "--proc", "/proc", "--dev", "/dev",
            "--tmpfs", "/tmp", "--", *argv]


class Containers:
    """Of an OCI runtime: a bundle per job below `folder`, and a clean end."""

    def __init__(self, folder, name, options):
        self.folder = os.path.join(folder, name)
        self.prefix = f"cove-bench-{name}-{os.getpid()}-"
        program = {"runc": "/usr/sbin/runc", "runsc": "/usr/bin/runsc"}[name]
        self.runtime = [program, "--root", os.path.join(self.folder, "state"), *options]

    def command(self, root, job, argv):
        bundle = os.path.join(self.folder, job)
        os.makedirs(bundle)
        subprocess.run(["/usr/sbin/runc", "spec", "--bundle", bundle], check=True)
        edit_config(os.path.join(bundle, "config.json"), root, argv)
        return [*self.runtime, "run", "--bundle", bundle, self.prefix + job + "-{n}"]

    def remove(self):
        """Nothing is left after an orderly run; after an interrupted one there may be containers, and groups without one."""
        for name in self.listed():
            subprocess.run([*self.runtime, "delete", "--force", name], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for group in self.groups():
            end_group(group)
        return [*self.listed(), *self.groups()]

    def listed(self):
        done = subprocess.run([*self.runtime, "list", "--quiet"], check=False, capture_output=True, text=True)
        return done.stdout.split()

    def groups(self):
        found = glob.glob(f"{CGROUPS}/**/{self.prefix}*", recursive=True)
        return sorted((group for group in found if os.path.isdir(group)), key=len, reverse=True)


def edit_config(path, root, argv):
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    config["process"]["terminal"] = False
    config["process"]["args"] = argv
    config["root"] = {"path": root, "readonly": True}
    limits = {"memory": {"limit": 512 << 20}, "cpu": {"quota": 100_000, "period": 100_000}, "pids": {"limit": 256}}
    config["linux"]["resources"] = config["linux"].get("resources", {}) | limits
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)


def end_group(group):
    """Ends what is in a cgroup of ours, then removes it."""
    for _ in range(100):
        try:
            with open(f"{group}/cgroup.procs", encoding="ascii") as file:
                pids = [int(line) for line in file]
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            os.rmdir(group)
            return
        except FileNotFoundError:
            return
        except (OSError, ProcessLookupError):  # busy until the dead are gone
            time.sleep(0.05)


def versions():
    """The first line that each tool says about itself."""
    told = {}
    for tool in ("bwrap", "runc", "runsc"):
        done = subprocess.run([tool, "--version"], check=True, capture_output=True, text=True)
        told[tool] = done.stdout.splitlines()[0]
    return told
