"""Free places between the objects of a zygote. A fork would use them for its own, one here and one there, and each is a page to be copied.

So they are filled and never freed. What a fork makes then lies side by side, in fresh memory. The places were there anyway: it costs nothing.
"""

import ctypes

# Of CPython's allocator for small objects: pools of one size of block each, which begin with a header.
_POOL, _HEADER = 16384, 48
_BLOCKS = range(16, 513, 16)
_FRESH = 3  # blocks side by side, from the first one of a pool on: it was empty
_MOST = 1 << 20  # bytes in blocks of one size, should this allocator be another
# Of the C library's: the large ones first, which smaller ones would break up.
_CHUNKS = (*(1 << power for power in range(16, 10, -1)), *range(1032, 23, -16))


class _Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]


def fill():
    library = ctypes.CDLL(None)
    if hasattr(library, "mallinfo2"):  # glibc, since 2.33
        _fill_heap(library)
    allocate = ctypes.pythonapi.PyObject_Malloc
    allocate.argtypes, allocate.restype = [ctypes.c_size_t], ctypes.c_size_t
    for size in _BLOCKS:
        _fill_pools(allocate, size)


def _fill_heap(library):
    """Until what is allocated comes from the end of the heap."""
    library.mallinfo2.restype = _Info
    for call, argument in (("malloc", ctypes.c_size_t), ("sbrk", ctypes.c_ssize_t)):
        getattr(library, call).argtypes, getattr(library, call).restype = [argument], ctypes.c_size_t
    library.malloc_trim(0)
    end = library.sbrk(0) - library.mallinfo2().keepcost
    for size in _CHUNKS:
        while 0 < library.malloc(size) < end:
            pass


def _fill_pools(allocate, size):
    """Until blocks come from a pool that was empty."""
    last = fresh = 0
    for _ in range(_MOST // size):
        block = allocate(size)
        if fresh and block == last + size:
            fresh += 1
        else:
            fresh = int(block % _POOL == _HEADER)
        if fresh == _FRESH:
            return
        last = block
