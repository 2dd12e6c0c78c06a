"""Ctrl-C, termination and death of the CLI: the program is told, ends, and nothing is left."""

import json
import os
import pty
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


class Interrupts(cove.Test):
    def begin(self, *arguments):
        """A run that has said it is ready."""
        child = self.cove.start("run", *arguments)
        self.addCleanup(child.kill)
        self.assertEqual(child.stdout.readline(), b"ready\n")
        return child

    def end(self, child, code, stdout=b"", stderr=None):
        out, err = child.communicate(timeout=cove.PATIENCE)
        self.assertEqual((child.returncode, out), (code, stdout), err)
        if stderr is not None:
            self.assertEqual(err, stderr)
        self.cove.wait_for_sandboxes(0)
        return err

    def test_the_program_gets_it_and_ends(self):
        child = self.begin("-c", "import time\ntry:\n print('ready')\n time.sleep(600)\nexcept KeyboardInterrupt: print('I was interrupted'); raise")
        child.send_signal(signal.SIGINT)
        said = self.end(child, 130, b"I was interrupted\n")
        self.assertIn(b"KeyboardInterrupt", said)
        self.assertIn(b"cove: interrupted", said)

    def test_a_program_that_handles_it_ends_as_it_likes(self):
        child = self.begin("-c", "import signal, sys, time\nsignal.signal(2, lambda *a: sys.exit(0))\nprint('ready')\ntime.sleep(600)")
        child.send_signal(signal.SIGINT)
        self.end(child, 0, stderr=b"")

    def test_the_whole_pipeline_gets_it(self):
        child = self.begin("--", "sh", "-c", "echo ready; sleep 600 | sleep 600 | sleep 600")
        child.send_signal(signal.SIGINT)
        self.end(child, 130)

    def test_the_second_one_kills(self):
        child = self.begin("--", "sh", "-c", "trap '' INT TERM; setsid sh -c \"trap '' INT TERM; while :; do sleep 1; done\" & echo ready; while :; do sleep 1; done")
        child.send_signal(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(child.poll())
        child.send_signal(signal.SIGINT)
        self.end(child, 130)

    def test_term_and_hangup_go_through(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            child = self.begin("-c", f"import signal, sys, time\nsignal.signal({number}, lambda n, f: sys.exit(n))\nprint('ready')\ntime.sleep(600)")
            child.send_signal(number)
            self.end(child, 130)

    def test_json_tells_it(self):
        child = self.begin("--json", "--", "sh", "-c", "echo ready; exec sleep 600")
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=cove.PATIENCE)
        self.assertEqual(child.returncode, 130)
        told = json.loads(out)
        self.assertEqual((told["cause"], told["signal"]), ("interrupted", 2))

    def test_while_the_sandbox_is_being_made(self):
        for delay in (0.0, 0.002, 0.005, 0.01, 0.02, 0.04):
            child = self.cove.start("run", "--", "sleep", "600")
            self.addCleanup(child.kill)
            time.sleep(delay)
            child.send_signal(signal.SIGINT)
            try:
                code = child.wait(5)
            except subprocess.TimeoutExpired:
                # It came before the program was there to get it: like a user's, a second one ends it.
                child.send_signal(signal.SIGINT)
                code = child.wait(cove.PATIENCE)
            self.assertIn(code, (130, -signal.SIGINT))
        self.cove.wait_for_sandboxes(0)

    def test_a_terminals_interrupt_key(self):
        # A real terminal: the key reaches the CLI and nothing else, because the program has no terminal.
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(cove.program("cove"), self.cove.command("run", "--", "sh", "-c", "echo ready; exec sleep 600"))
        os.set_blocking(terminal, True)
        seen = b""
        while b"ready" not in seen:
            seen += os.read(terminal, 1024)
        os.write(terminal, b"\x03")
        _, status = os.waitpid(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 130)
        os.close(terminal)
        self.cove.wait_for_sandboxes(0)


class ClientDeath(cove.Test):
    """kill -9 of the CLI: the sandbox has nobody left to work for."""

    def test_the_sandbox_goes_within_ten_seconds(self):
        stubborn = "trap '' INT TERM HUP; (setsid sh -c 'trap \"\" TERM HUP; while :; do sleep 1; done' &); echo ready; while :; do sleep 1; done"
        for code in ("echo ready; sleep 600", stubborn, "echo ready; yes", "echo ready; cat"):
            child = self.cove.start("run", "--timeout", "1h", "--", "sh", "-c", code)
            self.assertEqual(child.stdout.readline(), b"ready\n")
            self.assertEqual(len(self.cove.sandboxes()), 1)
            child.kill()
            child.wait()
            self.cove.wait_for_sandboxes(0, limit=10)
        self.assertEqual(self.cove.traces()["processes"], set())

    def test_at_any_moment_of_the_setup(self):
        for delay in (0.0, 0.001, 0.002, 0.004, 0.006, 0.008, 0.012, 0.016, 0.024, 0.032):
            child = self.cove.start("run", "--", "sleep", "600")
            time.sleep(delay)
            child.kill()
            child.wait()
        self.check_run(self.cove.run("-c", "print(1)"), 0, b"1\n")
        # One that was made and never connected to waits for its engine for half a minute.
        self.cove.wait_for_sandboxes(0, limit=60)

    def test_a_stopped_client_stops_no_timeout(self):
        child = self.cove.start("run", "--timeout", "1s", "--", "yes")
        child.stdout.read(4096)
        child.send_signal(signal.SIGSTOP)
        cove.wait_until(lambda: not [one for one in self.cove.traces()["processes"] if one.endswith(" yes")], "the program's end by its timeout", 20)
        child.send_signal(signal.SIGCONT)
        child.communicate(timeout=cove.PATIENCE)
        self.assertEqual(child.returncode, 124)


if __name__ == "__main__":
    cove.main()
