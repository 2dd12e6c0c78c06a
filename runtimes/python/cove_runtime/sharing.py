"""What a zygote does last, so that its forks share with it, and with each other, all that they do not change."""

import gc
import sys

from . import holes, immortal, large_pages
from .fork import reseed


def share():
    """Everything that is alive now stays so, in every fork, and no collection looks at it again: it would write to all of it."""
    reseed()  # OpenSSL prepares itself when it is first used, for 3 ms: not in each fork
    _forget_finders()
    gc.collect()
    places = large_pages.places_of(gc.get_objects())
    immortal.immortalize(gc.get_objects())
    gc.freeze()
    holes.fill()
    large_pages.gather(places)


def _forget_finders():
    """Those of packages' own directories, of which there are hundreds: before each cell all are told to look again. Imports make them anew."""
    for directory in sys.path_importer_cache.keys() - set(sys.path):
        del sys.path_importer_cache[directory]
