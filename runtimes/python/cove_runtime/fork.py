"""What changes when a prepared process is forked: randomness, environment, place."""

import os
import random
import sys


def become(environment=None, directory=None):
    """The forked process becomes a context: its environment, its working directory, randomness of its own."""
    if environment is not None:
        os.environ.clear()
        os.environ.update(environment)
    if directory is not None:
        os.chdir(directory)
    reseed()


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
