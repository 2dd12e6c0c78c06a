"""Packages that were installed a moment ago are importable, without a restart."""

import importlib
import os
import site
import sys


class Installs:
    def __init__(self):
        self._seen = None

    def refresh(self):
        """Before each cell, and after each command it starts."""
        importlib.invalidate_caches()
        if sys.prefix != sys.base_prefix:
            return  # a virtual environment's own directory is on the path from the start, and there is no user site
        directory = os.path.join(_user_base(), "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages")
        try:
            changed = os.stat(directory).st_mtime_ns
        except OSError:
            return
        if (directory, changed) == self._seen and directory in sys.path:
            return
        self._seen = (directory, changed)
        site.addsitedir(directory)  # .pth files, too: an editable install consists of one


def _user_base():
    # Not site.getuserbase(): it remembers the home directory of the process that was forked.
    return os.environ.get("PYTHONUSERBASE") or os.path.join(os.path.expanduser("~"), ".local")
