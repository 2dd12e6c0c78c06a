"""What --json and --receipt tell after a run."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


class JsonReceipt(cove.Test):
    def test_shape_and_plain_values(self):
        done, output, told = self.cove.receipt("--cpus", "0.5", "--memory", "128M", "--disk", "16M", "--pids", "50", "--timeout", "9s", "--output", "1M",
                                               "-c", "import sys; print('out'); print('error', file=sys.stderr); sys.exit(7)")
        self.check_run(done, 7, stderr=b"error\n")
        self.assertEqual(output, b"out")
        self.assertEqual(sorted(told), ["cause", "exit_code", "receipt", "signal"])
        self.assertEqual((told["cause"], told["exit_code"], told["signal"]), ("error", 7, 0))
        receipt = told["receipt"]
        self.assertEqual(sorted(receipt), ["cpu_us", "files", "limits", "limits_hit", "network", "output", "peak_memory_bytes", "sandbox",
                                           "seccomp", "setup", "template", "wall_us"])
        self.assertEqual(receipt["limits"], {"cpus": 0.5, "memory_bytes": 128 << 20, "disk_bytes": 16 << 20, "max_processes": 50,
                                             "timeout_ms": 9000, "output_bytes": 1 << 20})
        self.assertEqual(receipt["output"], {"stdout_bytes": 4, "stderr_bytes": 6, "dropped_bytes": 0})
        self.assertEqual(receipt["files"], {"created": [], "changed": [], "removed": [], "counts": {"created": 0, "changed": 0, "removed": 0},
                                            "truncated": False, "unknown": False})
        self.assertEqual(receipt["limits_hit"], [])
        self.assertEqual(receipt["template"], "base")
        self.assertRegex(receipt["sandbox"], r"^[a-z0-9]{8,24}$")
        self.assertRegex(receipt["seccomp"], r"^[0-9a-f]{16}$")

    def test_setup_lists_every_step_once(self):
        self.cove.stop_spawner()  # the first sandbox of a spawner was not made ahead
        _, _, told = self.cove.receipt("-c", "0")
        setup = told["receipt"]["setup"]
        names = [step["step"] for step in setup["steps"]]
        self.assertGreater(len(names), 20)
        self.assertEqual(len(names), len(set(names)))
        # The kernel's and our own work: the whole is not less than its parts.
        self.assertGreaterEqual(setup["us"], sum(step["us"] for step in setup["steps"] if step["step"] != "await identity") * 0.5)

    def test_setup_of_one_that_was_made_ahead_has_no_steps(self):
        """A spawner makes sandboxes ahead when the same kind is asked for again, and time passes."""
        def made_ahead():
            _, _, told = self.cove.receipt("-c", "0")
            return told["receipt"]["setup"]["steps"] == []
        cove.wait_until(made_ahead, "a sandbox that was made ahead")

    def test_is_one_line_of_its_own(self):
        for code in ("print('x')", "print('x', end='')", "pass"):
            done = self.cove.run("--json", "-c", code)
            self.assertEqual(json.loads(done.stdout.splitlines()[-1])["cause"], "ok")
            self.assertEqual(done.stdout.count(b'"cause"'), 1)
        done = self.cove.run("--json", "-c", "pass")
        self.assertTrue(done.stdout.startswith(b"{"))

    def test_causes(self):
        cases = {"ok": ["-c", "1"], "error": ["-c", "raise SystemExit(3)"], "timeout": ["--timeout", "200ms", "--", "sleep", "9"],
                 "out_of_memory": ["--memory", "64M", "-c", "b = bytearray(10**9)"], "crashed": ["--", "sh", "-c", "kill -SEGV $$"]}
        for cause, arguments in cases.items():
            _, _, told = self.cove.receipt(*arguments)
            self.assertEqual(told["cause"], cause)
        self.assertEqual(told["signal"], 11)

    def test_two_runs_have_two_sandboxes(self):
        first, second = (self.cove.receipt("-c", "1")[2]["receipt"]["sandbox"] for _ in range(2))
        self.assertNotEqual(first, second)

    def test_default_limits_are_the_documented_ones(self):
        _, _, told = self.cove.receipt("-c", "1")
        limits = told["receipt"]["limits"]
        self.assertEqual((limits["cpus"], limits["memory_bytes"], limits["max_processes"]), (1, 512 << 20, 256))
        self.assertEqual((limits["timeout_ms"], limits["output_bytes"]), (60_000, 10 << 20))

    def test_when_cove_fails_there_is_no_receipt(self):
        done = self.cove.run("--json", "--", "no-such-program")
        self.check_refused(done, 127, "no-such-program")


class TextReceipt(cove.Test):
    def test_is_for_people_and_on_stderr(self):
        done = self.cove.run("--receipt", "-c", "print(1)")
        self.check_run(done, 0, b"1\n")
        text = done.stderr.decode()
        for word in ("cause        ok", "exit code    0", "wall", "CPU", "memory", "stdout", "files        none", "template base"):
            self.assertIn(word, text)

    def test_dropped_output_is_told(self):
        done = self.cove.run("--receipt", "--output", "1K", "-c", "print('x' * 5000)")
        self.check_run(done, 0, b"x" * 1024)
        self.assertIn(b"3977 more bytes were dropped", done.stderr)


if __name__ == "__main__":
    cove.main()
