"""A process in a sandbox has a terminal: its own, with a size, and interrupted by its keys."""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import init_wire as wire
import spawner_wire

SCRIPT = """
test -t 0 && stty -echo && stty size && stat -c %U $(tty) && : > $(tty) && : > /dev/tty
trap 'stty size; exit 6' WINCH
trap 'echo interrupted' INT
echo ready
while :; do sleep 0.01; done
"""


class Terminals(cove.Test):
    def read_until(self, engine, text):
        seen = b""
        while text not in seen:
            seen += engine.await_kind(wire.OUTPUT)[1][13:]
        return seen

    def test_a_shell_on_a_terminal(self):
        made = spawner_wire.create(self.cove)
        self.assertTrue(made.ok, made.message)
        with wire.Engine(made.socket) as engine:
            engine.send(wire.START, 1, wire.start(["/bin/bash", "-c", SCRIPT], window=(30, 100)))
            self.assertEqual(self.read_until(engine, b"ready\r\n"), b"30 100\r\nuser\r\nready\r\n")
            engine.send(wire.INPUT, 1, wire.given(b"\x03"))
            self.read_until(engine, b"interrupted\r\n")
            engine.send(wire.RESIZE, 1, struct.pack("<II", 5, 7))
            written, code = engine.read_to_end()
        self.assertEqual((written[wire.STDOUT][1], code), (b"5 7\r\n", 6))
        self.assertNotIn(wire.STDERR, written)


if __name__ == "__main__":
    cove.main()
