"""write_lock.py REQUIREMENT…: prints a requirements file with a hash for every wheel that Debian's Pythons would take.

One version of each package serves Debian 12 (Python 3.11) and 13 (3.13): the versions are those that pip chooses for 3.11, and each has
one hash per wheel: the same one for both where it is pure Python or built for the stable ABI.

    write_lock.py ipython matplotlib numpy pandas pillow plotly altair >../python.lock
"""

import hashlib
import os
import subprocess
import sys
import tempfile

PYTHONS = ("3.11", "3.13")


def main():
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        first = download(PYTHONS[0], wanted, os.path.join(directory, "first"))
        pins = [f"{name}=={version}" for name, version in sorted(first)]
        hashes = {}
        for python in PYTHONS:
            folder = os.path.join(directory, python)
            download(python, [*pins, "--no-deps"], folder)
            for name, version, digest in wheels(folder):
                hashes.setdefault((name, version), set()).add(digest)
    print(f"# Written by tests/runtimes/support/write_lock.py for: {' '.join(wanted)}")
    for (name, version), digests in sorted(hashes.items()):
        lines = "".join(f" \\\n    --hash=sha256:{digest}" for digest in sorted(digests))
        print(f"{name}=={version}{lines}")


def download(python, arguments, folder):
    platforms = [word for minor in (28, 27, 17) for word in ("--platform", f"manylinux_2_{minor}_x86_64")]
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "-d", folder, "--only-binary", ":all:", "--python-version", python, *platforms,
         "--platform", "manylinux2014_x86_64", *arguments], check=True, stdout=sys.stderr)
    return {(name, version) for name, version, _ in wheels(folder)}


def wheels(folder):
    for wheel in os.listdir(folder):
        name, version = wheel.split("-")[:2]
        with open(os.path.join(folder, wheel), "rb") as file:
            yield name.lower().replace("_", "-"), version, hashlib.sha256(file.read()).hexdigest()


main()
