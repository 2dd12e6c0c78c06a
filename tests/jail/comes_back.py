"""A sandbox that was told to stay lives on without its engine; one that was not does not."""

import os
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import init_wire as wire
import spawner_wire

SCRIPT = "echo before; while [ ! -e /tmp/go ]; do sleep 0.01; done; echo after; echo error >&2; exit 3"


class ComesBack(cove.Test):
    def create(self):
        made = spawner_wire.create(self.cove)
        self.assertTrue(made.ok, made.message)
        return made

    def destroy(self, sandbox):
        with self.cove.connect() as client:
            self.assertTrue(spawner_wire.ask(client, spawner_wire.destroy(sandbox)).ok)

    def test_a_killed_engine_loses_no_process_no_byte_and_no_exit_code(self):
        made = self.create()
        with wire.Engine(made.socket) as engine:
            engine.send(wire.STAY, 0)
            engine.send(wire.START, 1, wire.start(["/bin/sh", "-c", SCRIPT]))
            self.assertEqual(engine.await_kind(wire.OUTPUT)[1][13:], b"before\n")
            engine.send(wire.ACKNOWLEDGE, 1, struct.pack("<Q", 1))
            engine.send(wire.START, 2, wire.start(["touch", "/tmp/go"]))
        with wire.Engine(made.socket) as engine:
            engine.send(wire.LIST, 9)
            self.assertIn(engine.await_kind(wire.FOUND)[0], (1, 2))
            engine.await_kind(wire.DONE)
            engine.send(wire.ATTACH, 1, struct.pack("<Q", 0))
            engine.await_kind(wire.FOUND)
            written, code = engine.read_to_end()
        self.assertEqual(written, {wire.STDOUT: (7, b"after\n"), wire.STDERR: (0, b"error\n")})
        self.assertEqual(code, 3)
        self.destroy(made.sandbox)

    def test_without_the_word_it_ends_with_its_engine(self):
        made = self.create()
        with wire.Engine(made.socket) as engine:
            engine.send(wire.START, 1, wire.start(["sleep", "1000"]))
            engine.await_kind(wire.STARTED)
        deadline = time.monotonic() + cove.PATIENCE
        while time.monotonic() < deadline:
            try:
                with wire.Engine(made.socket):
                    self.fail("another engine was greeted")
            except (EOFError, OSError):
                if not os.path.exists(made.socket):
                    return
            time.sleep(0.05)
        self.fail("the sandbox lives on")


if __name__ == "__main__":
    cove.main()
