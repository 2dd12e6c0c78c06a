"""cove spawner status and stop, and the spawner's own life."""

import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import cove
import traces


class SpawnerCommands(cove.Test):
    def test_status_of_none(self):
        self.cove.stop_spawner()
        done = self.cove.call("spawner", "status")
        self.check_run(done, 1, f"no spawner runs for {self.cove.state}\n".encode(), b"")

    def test_status_counts(self):
        child = self.cove.start("run", "--", "sh", "-c", "echo ready; cat")
        self.assertEqual(child.stdout.readline(), b"ready\n")
        done = self.cove.call("spawner", "status")
        self.check_run(done, 0, stderr=b"")
        self.assertIn(b"1 sandbox", done.stdout)
        child.stdin.close()
        self.assertEqual(child.wait(cove.PATIENCE), 0)
        self.assertIn(b"0 sandbox", self.cove.call("spawner", "status").stdout)

    def test_stop_without_one_is_fine(self):
        self.cove.stop_spawner()
        self.check_run(self.cove.call("spawner", "stop"), 0, b"", b"")

    def test_stop_leaves_live_sandboxes(self):
        child = self.cove.start("run", "--", "sh", "-c", "echo ready; cat; echo done; exit 5")
        self.assertEqual(child.stdout.readline(), b"ready\n")
        self.check_run(self.cove.call("spawner", "stop"), 0, b"", b"")
        self.assertEqual(self.cove.call("spawner", "status").returncode, 1)
        out, err = child.communicate(b"still here\n", timeout=cove.PATIENCE)
        self.assertEqual((child.returncode, out, err), (5, b"still here\ndone\n", b""))
        self.cove.wait_for_sandboxes(0)

    def test_stop_and_start_at_once(self):
        for _ in range(20):
            self.check_run(self.cove.call("spawner", "stop"), 0, b"", b"")
            self.check_run(self.cove.run("--", "true"), 0, b"", b"")

    def test_a_signal_ends_it_properly(self):
        self.cove.run("--", "true")
        pid = self.cove.spawner_pid()
        os.kill(pid, signal.SIGTERM)
        cove.wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "its end")
        self.assertFalse(os.path.exists(self.cove.socket))
        self.check_run(self.cove.run("--", "true"), 0, b"", b"")

    def test_it_is_nobodys_child_and_holds_no_terminal(self):
        self.cove.run("--", "true")
        pid = self.cove.spawner_pid()
        fields = traces.read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        self.assertEqual(fields[4], "0", "controlling terminal")
        self.assertEqual(os.readlink(f"/proc/{pid}/cwd"), "/")
        self.assertEqual(os.getsid(pid) == os.getsid(0), False)

    def test_lingers_and_then_goes(self):
        self.cove.stop_spawner()
        spawner = self.cove.start_spawner(arguments=("--linger", "1s"))
        self.assertEqual(spawner.wait(30), 0)
        self.assertFalse(os.path.exists(self.cove.socket))

    def test_its_end_while_somebody_comes(self):
        # Clients that arrive just when the time of lingering is over are served all the same.
        for number in range(12):
            self.cove.stop_spawner()
            spawner = self.cove.start_spawner(arguments=("--linger", "1s"))
            time.sleep(0.95 + 0.01 * number)
            self.check_run(self.cove.run("--", "true"), 0, b"", b"")
            self.cove.stop_spawner()
            spawner.wait(30)

    def test_wrong_arguments(self):
        for arguments in (["--nonsense"], ["--state"], ["--state", "relative"], ["--linger", "x"], ["extra", "words"]):
            done = subprocess.run([cove.program("cove-spawner"), *arguments], capture_output=True, check=False)
            self.check_run(done, 2, b"")
            self.assertIn(b"usage:", done.stderr)

    def test_the_first_runs_at_once_start_one_spawner(self):
        self.cove.stop_spawner()
        children = [self.cove.start("run", "-c", f"print({number})") for number in range(8)]
        for number, child in enumerate(children):
            out, err = child.communicate(timeout=cove.PATIENCE)
            self.assertEqual((child.returncode, out, err), (0, f"{number}\n".encode(), b""))


if __name__ == "__main__":
    cove.main()
