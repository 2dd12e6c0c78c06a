"""A zygote with one child: imports, primes, forks, and the child becomes a context. Says first what prepare() left behind."""

import os
import random
import sys

sys.path[0] = sys.argv[1]
import numpy.random  # noqa: E402

import cove_runtime  # noqa: E402

channel = int(os.environ["COVE_CHANNEL"])
before = sorted(os.listdir("/proc/self/fd"))
shell = cove_runtime.prepare()
after = sorted(os.listdir("/proc/self/fd"))
tasks = os.listdir("/proc/self/task")
cove_runtime.prime(shell, ["warm = 1 + 1\nwarm", "print('', end='')", "import matplotlib.pyplot as plt\nplt.plot([1]);"])
random.seed(1)
numpy.random.seed(1)
cove_runtime.share()
child = os.fork()
if child:
    os.close(channel)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
cove_runtime.become()
cove_runtime.move_in({**os.environ, "BECAME": "yes"}, os.environ["HOME"] + "/place")
shell.user_ns.update(_descriptors=(before == after), _tasks=len(tasks))
cove_runtime.serve(shell, channel)
