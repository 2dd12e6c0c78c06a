"""inotify through the C library: creating, writing, renaming and deleting a file are each told."""

import ctypes
import os
import struct
import tempfile

import compat

IN_MODIFY, IN_MOVED_TO, IN_CREATE, IN_DELETE = 0x2, 0x80, 0x100, 0x200


def events(fd):
    data = os.read(fd, 65536)
    while data:
        _, mask, _, length = struct.unpack_from("iIII", data)
        yield mask, data[16 : 16 + length].rstrip(b"\0").decode()
        data = data[16 + length :]


def changes_are_told():
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.inotify_init1(0)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "inotify_init1")
    with tempfile.TemporaryDirectory() as directory:
        mask = IN_MODIFY | IN_MOVED_TO | IN_CREATE | IN_DELETE
        if libc.inotify_add_watch(fd, directory.encode(), mask) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch")
        first, second = os.path.join(directory, "a"), os.path.join(directory, "b")
        with open(first, "w") as file:
            file.write("x")
        os.rename(first, second)
        os.unlink(second)
        compat.equal(list(events(fd)), [(IN_CREATE, "a"), (IN_MODIFY, "a"), (IN_MOVED_TO, "b"), (IN_DELETE, "b")])
    os.close(fd)


compat.run(changes_are_told)
