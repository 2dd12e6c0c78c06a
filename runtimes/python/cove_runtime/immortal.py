"""What a zygote has imported lives as long as its forks do: nobody needs to count who uses it.

Whoever uses an object writes its reference count, and in a fork that is a page to be copied. An object whose count is that of None is immortal
(PEP 683; Python 3.12 and 3.13): it is used without being written to. With an older or a newer Python nothing is done here.
"""

import ctypes
import gc
import sys
import types

_COUNT = ctypes.c_uint32
_STANDS_STILL = 0xFFFFFFFF
# Unknown to the collector.
_PARTS_OF_CODE = ("co_consts", "co_names", "co_exceptiontable", "co_filename", "co_name", "co_qualname", "co_linetable")


def immortalize(objects):
    """These, which are taken off the list, and what they refer to that no collector keeps track of."""
    if not _is_possible():
        return
    while objects:
        one = objects.pop()
        if sys.getrefcount(one) == _STANDS_STILL:
            continue
        _COUNT.from_address(id(one)).value = _STANDS_STILL
        if isinstance(one, types.CodeType):
            objects += [getattr(one, name) for name in _PARTS_OF_CODE]
        else:
            objects += [part for part in gc.get_referents(one) if not gc.is_tracked(part)]


def _is_possible():
    """None's own count lies where this module writes, and has the value that it knows."""
    return sys.getrefcount(None) == _STANDS_STILL == _COUNT.from_address(id(None)).value
