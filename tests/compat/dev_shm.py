"""/dev/shm: files, POSIX shared memory through the C library, the null, zero, full and random devices beside it."""

import ctypes
import errno
import mmap
import os

import compat


def files():
    with open("/dev/shm/compat", "w+b") as file:
        file.truncate(1 << 20)
        with mmap.mmap(file.fileno(), 1 << 20) as memory:
            memory[:5] = b"hello"
        compat.equal(file.read(5), b"hello")
    os.unlink("/dev/shm/compat")


def shm_open():
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.shm_open(b"/compat-shm", os.O_CREAT | os.O_RDWR, 0o600)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "shm_open")
    os.ftruncate(fd, 4096)
    os.close(fd)
    compat.equal(libc.shm_unlink(b"/compat-shm"), 0)


def devices():
    with open("/dev/zero", "rb") as zero:
        compat.equal(zero.read(4), bytes(4))
    with open("/dev/urandom", "rb") as random:
        compat.equal(len(random.read(32)), 32)
    with open("/dev/null", "wb") as null:
        null.write(b"gone")
    try:
        fd = os.open("/dev/full", os.O_WRONLY)
        os.write(fd, b"x")
        raise AssertionError("/dev/full took a byte")
    except OSError as error:
        compat.equal(error.errno, errno.ENOSPC)


compat.run(files, shm_open, devices)
