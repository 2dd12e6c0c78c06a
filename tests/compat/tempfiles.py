"""Temporary files and what tools do with them: named, unnamed, directories, links, locks, attributes, atomic replacement."""

import fcntl
import os
import shutil
import tempfile

import compat


def named_and_unnamed():
    with tempfile.NamedTemporaryFile() as named, tempfile.TemporaryFile() as unnamed:
        named.write(b"x")
        unnamed.write(b"y")
        compat.equal(os.path.exists(named.name), True)
    compat.equal(os.path.exists(named.name), False)


def links():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "file")
        with open(path, "w") as file:
            file.write("x")
        os.symlink("file", path + ".soft")
        os.link(path, path + ".hard")
        compat.equal((os.stat(path).st_nlink, os.readlink(path + ".soft")), (2, "file"))


def atomic_replacement():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "file")
        for text in ("old", "new"):
            with open(path + ".tmp", "w") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(path + ".tmp", path)
        with open(path) as file:
            compat.equal(file.read(), "new")


def locks():
    with tempfile.NamedTemporaryFile() as first, open(first.name) as second:
        fcntl.flock(first, fcntl.LOCK_EX)
        try:
            fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
            raise AssertionError("both hold the lock")
        except BlockingIOError:
            pass


def trees():
    with tempfile.TemporaryDirectory() as directory:
        deep = os.path.join(directory, *"abcdefgh" * 4)
        os.makedirs(deep)
        shutil.copytree(os.path.join(directory, "a"), os.path.join(directory, "copy"))
        shutil.rmtree(os.path.join(directory, "a"))
        compat.equal(os.listdir(directory), ["copy"])


def system_directories():
    for directory in ("/tmp", "/var/tmp", os.path.expanduser("~")):
        with tempfile.NamedTemporaryFile(dir=directory) as file:
            compat.equal(os.stat(file.name).st_uid, os.getuid())


compat.run(named_and_unnamed, links, atomic_replacement, locks, trees, system_directories)
