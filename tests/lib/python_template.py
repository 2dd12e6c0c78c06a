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
# Pure Python, and so good for any interpreter.
PACKAGES = ("IPython", "traitlets", "pygments", "prompt_toolkit", "wcwidth", "stack_data", "executing", "asttokens", "pure_eval", "matplotlib_inline",
            "jedi", "parso", "pexpect", "ptyprocess", "ipython_pygments_lexers.py", "typing_extensions.py", "psutil")
UNNEEDED = ("share", "include", "games", "src")


def make(instance, base="compat"):
    """The digest of a new template of the instance."""
    with open(f"{cove.SHARED_STATE}/templates/names/{base}", encoding="ascii") as file:
        digest = _link(f"{cove.SHARED_STATE}/templates/{file.read().strip()}", instance)
    _add_runtime(root_of(instance, digest))
    return digest


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


def _add_runtime(root):
    ours = f"{root}/usr/lib/cove"
    shutil.copytree(f"{ROOT}/runtimes/python", f"{ours}/runtimes/python", ignore=shutil.ignore_patterns("__pycache__"))
    packages = f"{ours}/packages"
    os.mkdir(packages)
    for name in PACKAGES:
        path = f"{_site_packages()}/{name}"
        if os.path.isdir(path):
            shutil.copytree(path, f"{packages}/{name}", ignore=shutil.ignore_patterns("__pycache__", "tests"))
        elif os.path.exists(path):
            shutil.copy(path, packages)
    for version in glob.glob(f"{root}/usr/local/lib/python3*"):
        _write(f"{version}/dist-packages/cove.pth", "/usr/lib/cove/packages\n")
    environment = dict(os.environ, PATH="/usr/sbin:/usr/bin:/sbin:/bin")
    subprocess.run(["chroot", root, "python3", "-m", "compileall", "-q", "/usr/lib/cove"], check=True, env=environment)


def _site_packages():
    """Of the virtual environment that the tests of the runtimes keep."""
    found = sorted(glob.glob(f"{cove.SHARED_STATE}/runtimes/python3*/.complete"))
    if not found:
        raise AssertionError("no IPython: run the tests labelled runtimes first (script/test runtimes)")
    return glob.glob(f"{os.path.dirname(found[-1])}/lib/python3*/site-packages")[0]


def _write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
