"""What the Python twins share: run each check, say `ok NAME`, or show what went wrong and exit with 1."""

import sys
import traceback


def run(*checks):
    for check in checks:
        try:
            check()
        except BaseException:
            print(f"not ok {check.__name__}", flush=True)
            traceback.print_exc()
            sys.exit(1)
        print(f"ok {check.__name__}", flush=True)


def equal(seen, wanted):
    if seen != wanted:
        raise AssertionError(f"saw {seen!r}, wanted {wanted!r}")
