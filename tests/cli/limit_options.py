"""--cpus, --memory, --disk, --pids, --timeout, --output: good, wrong, huge and missing values."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove


class LimitOptions(cove.Test):
    def test_good_values(self):
        good = {"--cpus": ["0.1", "1", "1.5", "2"], "--memory": ["64M", "128MiB", "0.25G", "134217728", "100000k"],
                "--disk": ["1M", "10MB"], "--pids": ["16", "1000"], "--timeout": ["500ms", "30", "1.5s", "2m", "1h", "24h"], "--output": ["0", "1", "1K", "1G"]}
        for option, values in good.items():
            for value in values:
                done, _, told = self.cove.receipt(option, value, "--", "true")
                self.check_run(done, 0)
                self.assertEqual(told["cause"], "ok", (option, value))

    def test_values_mean_what_they_say(self):
        _, _, told = self.cove.receipt("--memory", "0.25G", "--disk", "1.5M", "--cpus", "1.25", "--timeout", "1.5m", "--output", "2k", "--", "true")
        self.assertEqual(told["receipt"]["limits"], {"memory_bytes": 256 << 20, "disk_bytes": 3 << 19, "cpus": 1.25, "max_processes": 256,
                                                     "timeout_ms": 90_000, "output_bytes": 2048})

    def test_wrong_values_are_refused_and_named(self):
        wrong = {"--cpus": ["", "0", "-1", "x", "1x", "inf", "nan", "1e3", "1000000", "0.001", "1.2.3"],
                 "--memory": ["", "0", "-1", "12Q", "M", "1T", "lots", "1M", "99999999999G", "0x10", " 64M", "64M "],
                 "--disk": ["", "0", "-5", "x", "1k", "2T"], "--pids": ["", "0", "1", "-1", "x", "1.5", "99999999999"],
                 "--timeout": ["", "0", "-1s", "5y", "s", "25h", "999999999999999d"], "--output": ["", "-1", "x", "1Q"]}
        for option, values in wrong.items():
            for value in values:
                with self.subTest(option=option, value=value):
                    done = self.cove.run(f"{option}={value}", "--", "true")
                    self.check_run(done, 2, b"")
                    self.assertTrue(done.stderr.strip(), "a refusal says why")
                    self.assertNotIn(b"terminate called", done.stderr)

    def test_missing_values(self):
        for option in ("--cpus", "--memory", "--disk", "--pids", "--timeout", "--output", "--template", "--workspace", "-c", "--language"):
            done = self.cove.run(option)
            self.check_run(done, 2, b"")
            self.assertIn(option.encode(), done.stderr)

    def test_limits_are_seen_inside(self):
        code = ("import os; print(open('/sys/fs/cgroup/memory.max').read(), open('/sys/fs/cgroup/pids.max').read(),"
                " open('/sys/fs/cgroup/cpu.max').read(), os.statvfs('/').f_blocks * os.statvfs('/').f_frsize)")
        done = self.cove.run("--memory", "100M", "--pids", "77", "--cpus", "0.5", "--disk", "40M", "-c", code)
        self.check_run(done, 0)
        *others, disk = done.stdout.split()
        self.assertEqual(others, [str(100 << 20).encode(), b"77", b"50000", b"100000"])
        # A file system keeps a little of its disk for itself.
        self.assertTrue(36 << 20 < int(disk) <= 40 << 20, disk)

    def test_more_memory_than_the_machine_has(self):
        self.check_run(self.cove.run("--memory", "900G", "-c", "print(1)"), 0, b"1\n")

    def test_the_smallest_sandbox_runs(self):
        self.check_run(self.cove.run("--memory", "16M", "--disk", "1M", "--pids", "4", "--cpus", "0.01", "--", "true"), 0, b"", b"")


if __name__ == "__main__":
    cove.main()
