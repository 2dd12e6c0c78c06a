"""The base template's root file system with what it needs to run a program in it, in a mount namespace of this test program's own."""

import atexit
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib"))
import cove  # noqa: E402,F401  (makes the mount namespace)
from environments import KEPT, scratch  # noqa: E402

_roots = []


def root():
    """Made once per test program: an overlay, so that nothing of the template changes."""
    if not _roots:
        _roots.append(_make())
    return _roots[0]


def _make():
    with open(os.path.join(cove.SHARED_STATE, "templates", "names", "base"), encoding="ascii") as file:
        lower = os.path.join(cove.SHARED_STATE, "templates", file.read().strip(), "root")
    place = scratch()
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    upper, work, merged = (os.path.join(place, name) for name in ("upper", "work", "root"))
    for directory in (upper, work, merged):
        os.mkdir(directory, 0o755)
    _run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={lower},upperdir={upper},workdir={work}", merged)
    atexit.register(_run, "umount", "-R", "-l", merged)
    os.makedirs(KEPT, exist_ok=True)
    for shared in ("/proc", "/dev", "/var/tmp", KEPT):
        os.makedirs(merged + shared, exist_ok=True)
        _run("mount", "--bind", shared, merged + shared)
    for name in ("resolv.conf", "hosts"):
        shutil.copy(f"/etc/{name}", f"{merged}/etc/{name}")
    # Where the machine's packages come from, for the template's npm.
    for file in (os.path.expanduser("~/.npmrc"), "/etc/npmrc", "/usr/etc/npmrc", os.environ.get("NODE_EXTRA_CA_CERTS"), os.environ.get("SSL_CERT_FILE")):
        if file and os.path.isfile(file):
            _bind_file(file, merged + file)
    return merged


def _bind_file(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "a", encoding="ascii"):
        pass
    _run("mount", "--bind", source, target)


def _run(*command):
    subprocess.run(command, check=True)
