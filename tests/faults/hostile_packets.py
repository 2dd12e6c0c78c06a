"""Garbage, cut, long and foreign packets, rude clients, and peers that are not root."""

import os
import random
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import spawner_wire
import traces


class HostilePackets(cove.Test):
    """Whatever arrives on its socket: the spawner lives on, and says what is wrong."""

    config = "ready = 0\n"  # descriptors are counted

    def setUp(self):
        self.check_run(self.cove.run("--", "true"), 0)
        self.pid = self.cove.spawner_pid()
        self.cove.wait_for_disks()
        self.descriptors = traces.descriptors(self.pid)

    def tearDown(self):
        self.assertEqual(self.cove.spawner_pid(), self.pid, "it is still the same process")
        self.check_run(self.cove.run("-c", "print(1)"), 0, b"1\n", b"")
        self.cove.wait_for_disks()
        cove.wait_until(lambda: traces.descriptors(self.pid) == self.descriptors, "descriptors as before", 10)
        self.assertEqual(self.cove.sandboxes(), [])

    def refused(self, packet, *words):
        with self.cove.connect() as client:
            reply = spawner_wire.ask(client, packet)
            self.assertIsNotNone(reply, "an answer")
            self.assertFalse(reply.ok)
            for word in words:
                self.assertIn(word, reply.message)

    def test_not_ours(self):
        for packet in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 16, b"\xff" * 100, b"x" * 4000):
            self.refused(packet, "not a spawner packet")
        for size in (1, 4, 15):
            self.refused(b"COVECOVECOVECOVE"[:size], "too short")

    def test_another_version(self):
        for version in (0, spawner_wire.VERSION - 1, spawner_wire.VERSION + 1, 0xFFFFFFFF):
            self.refused(spawner_wire.header(spawner_wire.STATUS, version=version), f"version {version}", "restart the older side")

    def test_unknown_kinds_and_reserved_bits(self):
        for kind in (0, 8, 99, 0xFFFFFFFF):
            self.refused(spawner_wire.header(kind), "unknown spawner request")
        self.refused(spawner_wire.header(spawner_wire.STATUS, reserved=1), "reserved")

    def test_contexts_that_cannot_be(self):
        nobody = "a" * 16
        self.refused(spawner_wire.enter(nobody, 1), "no sandbox")
        for bad in ({"stream": 0}, {"stream": 0x80000000}, {"stream": 0xFFFFFFFF}, {"stream": 1, "language": 1}, {"stream": 1, "unready": 2}, {"stream": 1, "reserved": 1}):
            self.refused(spawner_wire.enter(nobody, **bad), "out of range")
        self.refused(spawner_wire.warm("../../etc"), "digest")
        self.refused(spawner_wire.warm("0" * 64), "No such file")

    def test_cut_and_long_ones(self):
        whole = spawner_wire.create_packet(self.cove.digest())
        for packet in (whole[:16], whole[:17], whole[:-1], whole + b"\0", spawner_wire.status() + b"\0", spawner_wire.destroy("a" * 16)[:-1]):
            self.refused(packet, "wrong size")
        for size in (5000, 9000, 60_000):
            self.refused(spawner_wire.status() + b"\0" * size, "wrong size")

    def test_an_empty_one_ends_the_connection(self):
        with self.cove.connect() as client:
            client.send(b"")
            self.assertEqual(client.recv(100), b"")

    def test_fields_out_of_range(self):
        digest = self.cove.digest()
        for fields in ({"root_kind": 2}, {"mode": 2}, {"access": 3}, {"raw_root": b"a" * 72}, {"raw_root": digest.encode() + b"\0x"}):
            packet = spawner_wire.create_packet(digest, **{name: value for name, value in fields.items() if name != "access"}, access=fields.get("access", 0))
            self.refused(packet, "field out of range")

    def test_requests_that_make_no_sense(self):
        digest = self.cove.digest()
        cases = [({"memory": 0}, "memory must be"), ({"memory": 2**63}, "memory must be"), ({"disk": 1}, "disk must be"), ({"disk": 2**62}, "disk must be"),
                 ({"cpu_millis": 0}, "cpus"), ({"cpu_millis": 2**32 - 1}, "cpus"), ({"max_pids": 0}, "processes"), ({"max_pids": 2**32 - 1}, "processes"),
                 ({"weaken": 1}, "weakens no sandbox"), ({"weaken": 2**31}, "weakens no sandbox"), ({"raw_root": b"../../etc"}, "digest"),
                 ({"raw_root": b""}, "digest"), ({"raw_root": b"0" * 64}, ""), ({"root_kind": 1, "mode": 1, "raw_root": b"../x"}, "build directory"),
                 ({"root_kind": 1, "mode": 1, "raw_root": b".."}, "build directory"), ({"root_kind": 1, "raw_root": b"x"}, "root mode")]
        for fields, word in cases:
            with self.subTest(fields=fields):
                self.refused(spawner_wire.create_packet(digest, **fields), word)

    def test_destroying_what_is_not_there(self):
        self.refused(spawner_wire.destroy("a" * 16), "no sandbox")
        for name in ("..", "../../etc", "A B", ""):
            self.refused(spawner_wire.destroy(name))

    def test_passed_descriptors_are_closed(self):
        with self.cove.connect() as client:
            for _ in range(50):
                socket.send_fds(client, [spawner_wire.status()], [0, 1, 2])
                self.assertTrue(spawner_wire.parse(client.recv(1 << 16)).ok)
            self.assertLessEqual(traces.descriptors(self.pid), self.descriptors + 1)

    def test_random_bytes(self):
        source = random.Random(20)
        for number in range(400):
            size = source.choice((0, 1, 15, 16, 40, 88, 4096, 4240, 6000))
            packet = source.randbytes(size)
            if number % 2 and size >= 16:
                packet = spawner_wire.header(source.choice((1, 2, 3, 4))) + packet[16:]
            with self.cove.connect() as client:
                client.send(packet)
                client.recv(1 << 16)

    def test_half_open_clients(self):
        clients = [self.cove.connect() for _ in range(200)]
        self.check_run(self.cove.run("-c", "print(2)"), 0, b"2\n", b"")
        for client in clients:
            client.close()

    def test_one_that_asks_and_never_listens(self):
        with self.cove.connect() as rude:
            rude.settimeout(0.5)
            try:
                for _ in range(10_000):
                    rude.send(spawner_wire.status())
            except OSError:
                pass  # its buffer is full, or it was let go
            self.check_run(self.cove.run("-c", "print(3)", timeout=30), 0, b"3\n", b"")

    def test_one_that_goes_before_the_answer(self):
        for _ in range(20):
            with self.cove.connect() as client:
                client.send(spawner_wire.create_packet(self.cove.digest()))
        # Nobody was told of them.
        cove.wait_until(lambda: traces.descriptors(self.pid) == self.descriptors, "the last of them to be served")
        self.cove.wait_for_sandboxes(0, limit=10)

    def test_one_that_goes_with_the_answer(self):
        with self.cove.connect() as client:
            self.assertTrue(spawner_wire.ask(client, spawner_wire.create_packet(self.cove.digest())).ok)
        self.cove.wait_for_sandboxes(1)
        # Made for nobody: its init waits half a minute for an engine, and then it goes.
        self.cove.wait_for_sandboxes(0, limit=90)


class Peers(cove.Test):
    def test_only_root_is_served(self):
        self.check_run(self.cove.run("--", "true"), 0)
        # Even where file modes would let others in.
        os.chmod(self.cove.run_directory, 0o755)
        os.chmod(self.cove.socket, 0o777)
        code = ("import socket, sys\ns = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)\ns.connect(sys.argv[1])\n"
                "try: s.send(bytes.fromhex(sys.argv[2])); print(len(s.recv(65536)))\nexcept OSError as e: print(0)")
        for ids, answered in ((["--reuid=65534", "--regid=65534", "--clear-groups"], False), (["--reuid=1000", "--regid=0", "--clear-groups"], False), ([], True)):
            done = subprocess.run(["setpriv", *ids, sys.executable, "-c", code, self.cove.socket, spawner_wire.status().hex()] if ids else
                                  [sys.executable, "-c", code, self.cove.socket, spawner_wire.status().hex()], capture_output=True, check=False, cwd="/")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(int(done.stdout) > 0, answered, ids)

    def test_the_usual_modes_keep_others_out(self):
        self.cove.stop_spawner()
        os.chmod(self.cove.run_directory, 0o700)
        self.check_run(self.cove.run("--", "true"), 0)
        self.assertEqual(os.stat(self.cove.socket).st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(self.cove.run_directory).st_mode & 0o777, 0o700)
        self.assertEqual(os.stat(f"{self.cove.run_directory}/sandboxes").st_mode & 0o777, 0o700)


if __name__ == "__main__":
    cove.main()
