"""Standard input goes through, standard output and error come out apart, byte by byte and as they come."""
import hashlib
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


class StandardStreams(cove.Test):
    def test_stdin_goes_through(self):
        self.check_run(self.cove.run("--", "tr", "a-z", "A-Z", input=b"hello\n"), 0, b"HELLO\n", b"")

    def test_the_end_of_stdin_is_seen(self):
        self.check_run(self.cove.run("--", "cat"), 0, b"", b"")
        self.check_run(self.cove.run("-c", "import sys; print(len(sys.stdin.read()))", input=b""), 0, b"0\n")

    def test_fifty_megabytes_of_stdin(self):
        data = os.urandom(1 << 20) * 50
        done = self.cove.run("--", "sha256sum", input=data)
        self.check_run(done, 0, hashlib.sha256(data).hexdigest().encode() + b"  -\n")

    def test_a_program_that_does_not_read_its_stdin(self):
        self.check_run(self.cove.run("--", "true", input=b"x" * (5 << 20)), 0, b"", b"")
        self.check_run(self.cove.run("--", "head", "-c", "5", input=b"12345" + b"x" * (5 << 20)), 0, b"12345", b"")

    def test_a_terminal_that_never_types(self):
        child = self.cove.start("run", "-c", "print('done')")
        self.assertEqual(child.stdout.read(), b"done\n")
        self.assertEqual(child.wait(cove.PATIENCE), 0)

    def test_conversation(self):
        child = self.cove.start("run", "-c", "while True:\n line = input()\n print('you said', line, flush=True)\n if line == 'bye': break")
        for word in (b"hello", b"there", b"bye"):
            child.stdin.write(word + b"\n")
            child.stdin.flush()
            self.assertEqual(child.stdout.readline(), b"you said " + word + b"\n")
        self.assertEqual(child.wait(cove.PATIENCE), 0)

    def test_output_comes_as_it_is_written(self):
        child = self.cove.start("run", "-c", "import time\nprint('first')\nwhile True: time.sleep(0.05)")
        self.assertEqual(child.stdout.readline(), b"first\n")
        self.assertIsNone(child.poll())
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(cove.PATIENCE), 130)

    def test_streams_stay_apart(self):
        done = self.cove.run("--", "sh", "-c", "echo to out; echo to err >&2; echo out again; exit 3")
        self.check_run(done, 3, b"to out\nout again\n", b"to err\n")

    def test_binary_output_is_exact(self):
        done = self.cove.run("-c", "import sys; d = bytes(range(256)) * 4096; sys.stdout.buffer.write(d); sys.stderr.buffer.write(d[::-1])")
        data = bytes(range(256)) * 4096
        self.check_run(done, 0, data, data[::-1])

    def test_the_last_bytes_before_the_end_arrive(self):
        # More than a usual pipe holds, written at once just before the end.
        code = ("import fcntl, os\nfcntl.fcntl(1, 1031, 1 << 20)\nfor i in range(16): os.write(1, bytes([65 + i]) * 65536)\nos._exit(0)")
        for _ in range(5):
            done = self.cove.run("-c", code)
            self.check_run(done, 0, b"".join(bytes([65 + i]) * 65536 for i in range(16)))

    def test_a_background_process_does_not_hold_the_run(self):
        started = time.monotonic()
        done = self.cove.run("--", "sh", "-c", "sleep 1000 & echo started")
        self.check_run(done, 0, b"started\n")
        self.assertLess(time.monotonic() - started, 60)

    def test_a_closed_stdin(self):
        done = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *self.cove.command("run", "--", "cat")], capture_output=True,
                              timeout=cove.PATIENCE, check=False)
        self.check_run(done, 0, b"", b"")

    def test_an_output_that_does_not_block(self):
        # A pipe shared with a program that made it non-blocking: nothing may be lost when it is full for a moment.
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        child = self.cove.start("run", "-c", "import sys; sys.stdout.write('x' * (4 << 20))", stdout=writer)
        os.close(writer)
        time.sleep(1)
        with os.fdopen(reader, "rb") as pipe:
            self.assertEqual(len(pipe.read()), 4 << 20)
        self.assertEqual(child.wait(cove.PATIENCE), 0)


class BrokenPipe(cove.Test):
    """Whoever reads the output has gone."""

    def check_ends(self, **options):
        child = self.cove.start("run", "--timeout", "1h", "--", "yes", **options)
        self.addCleanup(child.kill)
        child.stdout.read(10)
        child.stdout.close()
        _, said = child.communicate(timeout=cove.PATIENCE)
        self.cove.wait_for_sandboxes(0)
        return child.returncode, said

    def test_ends_the_run(self):
        self.assertEqual(self.check_ends()[0], -signal.SIGPIPE)

    def test_ends_it_also_where_sigpipe_is_ignored(self):
        code, said = self.check_ends(restore_signals=False)
        self.assertEqual(code, 125)
        self.assertIn(b"write(stdout): Broken pipe", said)

    def test_a_full_disk_on_our_side_is_told(self):
        for options in ([], ["--json"]):
            with open("/dev/full", "wb") as full:
                child = self.cove.start("run", *options, "-c", "print('x')", stdout=full)
                _, said = child.communicate(timeout=cove.PATIENCE)
            self.assertEqual(child.returncode, 125)
            self.assertIn(b"write(stdout): No space left", said)
        self.cove.wait_for_sandboxes(0)

    def test_head(self):
        shell = '"$@" | head -n 2'
        done = subprocess.run(["sh", "-c", shell, "sh", *self.cove.command("run", "--", "seq", "1000000000")], capture_output=True,
                              timeout=cove.PATIENCE, check=False)
        self.check_run(done, 0, b"1\n2\n")
        self.cove.wait_for_sandboxes(0)


if __name__ == "__main__":
    cove.main()
