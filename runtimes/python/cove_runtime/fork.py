"""What changes when a prepared process is forked: randomness, environment, place."""

import os
import random
import sys


def become():
    """The forked process becomes one of its own: randomness, threads."""
    reseed()
    use_cpus(len(os.sched_getaffinity(0)))


def move_in(environment, directory):
    """Where a context is at home."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(directory)


def use_cpus(count):
    """Libraries that were imported in a zygote have one thread each."""
    if count == 1:
        return
    threadpoolctl = sys.modules.get("threadpoolctl")
    if threadpoolctl is not None:
        threadpoolctl.threadpool_limits(count)
    numexpr = sys.modules.get("numexpr")
    if numexpr is not None:
        numexpr.set_num_threads(count)


def reseed():
    """Siblings of one zygote must not draw the same numbers. os.urandom, secrets and uuid4 come from the kernel and differ anyway."""
    random.seed()
    seed = int.from_bytes(os.urandom(4), "little")
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed(seed)
    ssl = sys.modules.get("ssl")
    if ssl is not None:
        ssl.RAND_add(os.urandom(32), 32.0)
    uuid = sys.modules.get("uuid")
    if uuid is not None:
        uuid._node = uuid._last_timestamp = None  # uuid1: the node is drawn anew, too
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)
