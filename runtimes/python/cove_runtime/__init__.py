"""What runs inside a Python context: IPython's shell in this process, driven over a socket by pid 1 of the sandbox.

    shell = prepare()           everything is imported; no thread, no descriptor, no channel yet: a zygote may fork now
    share()                     in the zygote, once everything is imported: forks share what they do not change
    become()                    in the child: what a fork has to change, randomness above all
    move_in(environment, cwd)   whose it is
    serve(shell, descriptor)    executions, one after another, until the channel ends
"""

from .fork import become, move_in, reseed
from .prepare import prepare, prime
from .serve import serve
from .sharing import share

__all__ = ["become", "move_in", "prepare", "prime", "reseed", "serve", "share"]
