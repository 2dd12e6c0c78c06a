"""What the runtimes' tests need beside the machine's own packages, made once and kept below COVE_TEST_STATE."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
RUNTIMES = os.path.join(ROOT, "runtimes")
KEPT = os.path.join(os.environ.get("COVE_TEST_STATE", "/var/lib/cove-test"), "runtimes")


def python_with_ipython():
    """An interpreter that has the packages of python.lock: a virtual environment, installed by pip as it is configured."""
    lock = os.path.join(os.path.dirname(HERE), "python.lock")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return os.path.join(_made(f"python{version}-{_digest(lock, sys.executable)}", lambda place: _make_python(place, lock)), "bin", "python")


def _make_python(place, lock):
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    subprocess.run(
        [os.path.join(place, "bin", "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:",
         "--require-hashes", "-r", lock], check=True)


def node_runtime(root):
    """A directory with the Node runtime and the packages of its lock file, as a template has it."""
    source = os.path.join(RUNTIMES, "node")
    lock = os.path.join(source, "package-lock.json")
    packages = _made(f"node-{_digest(lock)}", lambda place: _make_node_packages(place, source, root))
    place = scratch()
    for name in os.listdir(source):
        if name.endswith(".js"):
            shutil.copy(os.path.join(source, name), place)
    shutil.copytree(os.path.join(packages, "node_modules"), os.path.join(place, "node_modules"))
    return place


def _make_node_packages(place, source, root):
    """npm as the machine has it configured; where the machine has none, the template's."""
    os.makedirs(place)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(os.path.join(source, name), place)
    command = ["npm", "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
    if shutil.which("npm"):
        subprocess.run(command, cwd=place, check=True)
        return

    def enter():
        os.chroot(root)
        os.chdir(place)
    subprocess.run(command, preexec_fn=enter, check=True, env={**os.environ, "PATH": "/usr/bin:/bin"}, executable="/usr/bin/npm")


def _made(name, make):
    """The directory, made under its final name (a virtual environment knows its place) and marked when it is complete."""
    place = os.path.join(KEPT, name)
    mark = os.path.join(place, ".complete")
    if not os.path.exists(mark):
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(KEPT, exist_ok=True)
        make(place)
        with open(mark, "w", encoding="ascii"):
            pass
    return place


def _digest(lock, *words):
    with open(lock, "rb") as file:
        return hashlib.sha256(file.read() + " ".join(words).encode()).hexdigest()[:16]


def scratch():
    """A directory on a disk: /tmp may be memory."""
    return tempfile.mkdtemp(prefix="cove-runtime-", dir="/var/tmp")
