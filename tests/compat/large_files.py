"""Files that are large but within the limits: 64 MB written and read back, a sparse gigabyte, a map, a copy."""

import hashlib
import mmap
import os
import shutil
import tempfile

import compat

MEGABYTE = 1 << 20
SIZE = 64 * MEGABYTE


def write_and_read_back():
    block = os.urandom(MEGABYTE)
    with tempfile.TemporaryFile() as file:
        for _ in range(SIZE // MEGABYTE):
            file.write(block)
        file.seek(0)
        seen = hashlib.sha256()
        while chunk := file.read(MEGABYTE):
            seen.update(chunk)
    compat.equal(seen.digest(), hashlib.sha256(block * (SIZE // MEGABYTE)).digest())


def sparse():
    with tempfile.TemporaryFile() as file:
        file.seek((1 << 30) - 1)
        file.write(b"x")
        file.flush()
        status = os.fstat(file.fileno())
        compat.equal((status.st_size, status.st_blocks * 512 < MEGABYTE), (1 << 30, True))


def mapped():
    with tempfile.TemporaryFile() as file:
        file.truncate(SIZE)
        with mmap.mmap(file.fileno(), SIZE) as memory:
            memory[SIZE - 1] = 7
        file.seek(SIZE - 1)
        compat.equal(file.read(1), b"\x07")


def copied():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "file")
        with open(path, "wb") as file:
            file.write(bytes(16 * MEGABYTE))
        shutil.copyfile(path, path + ".copy")
        compat.equal(os.path.getsize(path + ".copy"), 16 * MEGABYTE)


compat.run(write_and_read_back, sparse, mapped, copied)
