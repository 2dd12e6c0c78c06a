"""What every benchmark may be told on its command line."""

import argparse


def parse(description):
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--out", required=True, metavar="DIR", help="folder for the results")
    options.add_argument("--smoke", action="store_true", help="one round only: proves that it works, and measures nothing")
    options.add_argument("--assert", action="store_true", dest="must_meet", help="fail when a target is missed")
    return options.parse_args()
