"""notebook.py RUNTIME [LANGUAGE]: runs cells (a JSON list on stdin) in one context of the template that this runs in, and prints the events of each as JSON."""

import json
import os
import sys

from driver import Runtime

RUNTIMES = "/usr/lib/cove/runtimes"
COMMANDS = {
    "python": ["python3", f"{RUNTIMES}/python/start.py"],
    "javascript": ["node", "--expose-internals", f"{RUNTIMES}/node/start.js"],
    "bash": ["bash", f"{RUNTIMES}/bash/start.sh"],
}


def main():
    runtime = Runtime(COMMANDS[sys.argv[1]], cwd=os.environ["HOME"])
    more = {"language": sys.argv[2]} if len(sys.argv) > 2 else {}
    told = [runtime.run(code, **more) for code in json.load(sys.stdin)]
    json.dump({"ready": runtime.ready, "cells": told}, sys.stdout, default=lambda image: f"{len(image)} bytes")
    runtime.close()


main()
