"""A context without a zygote: python3 start.py, with COVE_CHANNEL in the environment."""

import os
import sys

import cove_runtime

sys.path[0] = ""  # it was this file's directory; user code finds its own working directory there
cove_runtime.serve(cove_runtime.prepare(), int(os.environ.pop("COVE_CHANNEL")))
