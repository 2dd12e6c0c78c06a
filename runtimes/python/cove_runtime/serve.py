"""The loop of a context: an execution at a time, until the channel ends."""

import json
import os
import platform
import sys

from .channel import Channel
from .execution import Execution
from .guard import close_gate, open_gate
from .interrupts import Interrupts

PROTOCOL = 1


def serve(shell, descriptor, move_in=None):
    """Takes over this process: descriptors 1 and 2, SIGINT, sys.stdin. Returns when pid 1 has hung up.

    `move_in` is called once it is ready: a context that was made ahead waits there until it knows whose it is."""
    os.environ.pop("COVE_CHANNEL", None)
    channel = Channel(descriptor)
    outlet = shell.outlet
    outlet.channel = channel
    outlet.output.adopt()
    _enter_directory(shell)
    interrupts = Interrupts()
    interrupts.install()
    outlet.say("ready", {"language": "python", "version": platform.python_version(), "protocol": PROTOCOL})
    close_gate()
    if move_in is not None:
        move_in()
        _enter_directory(shell)
    _loop(channel, iter(channel.receive, None), outlet, Execution(shell, interrupts))
    open_gate()


def _loop(channel, messages, outlet, execution):
    for verb, channel.execution, payload in messages:
        if verb != "execute":
            continue  # of a later protocol, and so not for us
        request = json.loads(payload)
        if request.get("purpose") == "check":
            verdict = execution.check(request["code"])
        else:
            verdict = execution.run(request["code"], request.get("stdin"))
        outlet.say("done", verdict)
        channel.execution = 0  # what a thread shows from now on belongs to no execution


def _enter_directory(shell):
    """What IPython noted of the place where it was made, which may have been another process."""
    sys.argv = [""]
    try:
        here = os.getcwd()
    except OSError:
        return
    shell.starting_dir = here
    shell.history_manager.dir_hist[:] = [here]
