"""A template with a Python runtime, made from one that is there: its files linked, the runtime and what it needs copied in.

Its digest is a made-up one: the spawner takes a template by name, and only `cove template` looks at what it is made of.
"""

import glob
import os
import secrets
import shutil
import subprocess

import cove

ROOT = os.path.dirname(cove.TESTS)
UNNEEDED = ("share", "include", "games", "src")


def make(instance):
    """The digest of a new template of the instance: the one with numpy, the runtime of this tree, and the IPython of `base`."""
    digest = _link(_shared("compat"), instance)
    root = root_of(instance, digest)
    shutil.copytree(f"{ROOT}/runtimes/python", f"{root}/usr/lib/cove/runtimes/python", ignore=shutil.ignore_patterns("__pycache__"))
    for packages in glob.glob(f"{_shared('base')}/root/usr/local/lib/python3*/dist-packages"):
        target = root + packages.removeprefix(f"{_shared('base')}/root")
        subprocess.run(["cp", "-al", f"{packages}/.", target], check=True)
        _write(f"{target}/cove.pth", "/usr/lib/cove/packages\n")
    environment = dict(os.environ, PATH="/usr/sbin:/usr/bin:/sbin:/bin")
    subprocess.run(["chroot", root, "python3", "-m", "compileall", "-q", "/usr/lib/cove"], check=True, env=environment)
    return digest


def _shared(name):
    with open(f"{cove.SHARED_STATE}/templates/names/{name}", encoding="ascii") as file:
        return f"{cove.SHARED_STATE}/templates/{file.read().strip()}"


def variant(instance, digest, preload=(), extra=None):
    """The same with a preload list, and with modules of its own: {name: source}."""
    made = _link(f"{instance.state}/templates/{digest}", instance)
    for name, text in (extra or {}).items():
        _write(f"{root_of(instance, made)}/usr/lib/cove/packages/{name}.py", text)
    _write(f"{root_of(instance, made)}/usr/lib/cove/preload/python", "".join(f"{name}\n" for name in preload))
    return made


def root_of(instance, digest):
    return f"{instance.state}/templates/{digest}/root"


def _link(source, instance):
    """Links instead of copies: hundreds of megabytes for each test would be too much. What is added lies in files of its own."""
    digest = secrets.token_hex(32)
    root = root_of(instance, digest)
    os.makedirs(f"{root}/usr")
    parts = [name for name in os.listdir(f"{source}/root") if name != "usr"]
    parts += [f"usr/{name}" for name in os.listdir(f"{source}/root/usr") if name not in UNNEEDED]
    for part in parts:
        subprocess.run(["cp", "-al", f"{source}/root/{part}", f"{root}/{part}"], check=True)
    shutil.copy(f"{source}/meta", f"{instance.state}/templates/{digest}")
    return digest


def _write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
